import { decodeEvents } from '../../../../shared/analytics/ingest/consume-records.ts';
import type { EventStreamWriter } from '../../../../shared/analytics/ingest/ports.ts';
import type { Lease } from '../../../../shared/platform/lease.ts';
import type { ObjectStore } from '../../../../shared/platform/object-store.ts';
import { type DeadLetter, listDeadLetters } from './dead-letter-records.ts';

export type RedrivePorts = {
  objects: Pick<ObjectStore, 'list' | 'get' | 'deleteAllVersions'>;
  stream: EventStreamWriter;
};

/**
 * A dead letter and its outcome. `sent`: the record was sent and the dead letter was deleted. `readable` (only in a dry
 * run): a real run would send the record. `unreadable`: the record cannot be decoded, so the dead letter stays.
 */
export type RedriveResult = DeadLetter & { outcome: 'sent' | 'readable' | 'unreadable' };

/**
 * If the record of a dead letter can be decoded now, puts the unchanged record on the stream again. The dead letter is
 * deleted after the stream has accepted the record. If a crash prevents the deletion, the next run sends the record
 * again, which changes no count.
 *
 * @param lease prevents concurrent erasures; undefined for a dry run. An erasure rewrites dead letters, so it could
 *   restore a deleted dead letter.
 */
export async function* redriveDeadLetters(
  { objects, stream }: RedrivePorts,
  lease: Lease | undefined,
): AsyncGenerator<RedriveResult> {
  for await (const entry of listDeadLetters(objects)) {
    const { record } = entry;
    const read = record === undefined ? { reason: entry.reason } : decodeEvents(record);
    if (record === undefined || 'reason' in read) {
      yield { ...entry, outcome: 'unreadable', ...('reason' in read && { reason: read.reason }) };
    } else if (lease === undefined) yield { ...entry, outcome: 'readable' };
    else {
      await lease.assertHeld();
      await stream.append(record.data);
      await lease.assertHeld();
      await objects.deleteAllVersions(entry.key);
      yield { ...entry, outcome: 'sent' };
    }
  }
}
