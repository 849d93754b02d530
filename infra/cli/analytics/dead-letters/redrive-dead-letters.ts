import { decodeEventRecord } from '../../../../shared/analytics/facts/aggregate-records.ts';
import type { EventStreamWriter } from '../../../../shared/analytics/ingest/event-stream.ts';
import type { Lease } from '../../../../shared/platform/lease.ts';
import type { ObjectStore } from '../../../../shared/platform/object-store.ts';
import { type DeadLetter, listDeadLetters } from './dead-letter-records.ts';

export type RedrivePorts = {
  objects: Pick<ObjectStore, 'list' | 'get' | 'deleteAllVersions'>;
  stream: EventStreamWriter;
};

/** What became of a set-aside record. `readable`: it would be sent. `unreadable`: it stays, and why. */
export type RedriveResult = DeadLetter & { outcome: 'sent' | 'readable' | 'unreadable' };

/**
 * Puts every set-aside record that can be read by now back onto the stream, as it is: whoever counts and whoever keeps
 * events gets it again, and both merge. It is removed only when the stream has it, so a crash at most sends it twice.
 *
 * @param turn without it nothing is sent: an erasure beside it would put back a record that is sent already
 */
export async function* redriveDeadLetters(
  { objects, stream }: RedrivePorts,
  turn: Lease | undefined,
): AsyncGenerator<RedriveResult> {
  for await (const entry of listDeadLetters(objects)) {
    const { record } = entry;
    const read = record === undefined ? { reason: entry.reason } : decodeEventRecord(record);
    if (record === undefined || 'reason' in read) {
      yield { ...entry, outcome: 'unreadable', ...('reason' in read && { reason: read.reason }) };
    } else if (turn === undefined) yield { ...entry, outcome: 'readable' };
    else {
      await turn.assertHeld();
      await stream.append(record.data);
      await turn.assertHeld();
      await objects.deleteAllVersions(entry.key);
      yield { ...entry, outcome: 'sent' };
    }
  }
}
