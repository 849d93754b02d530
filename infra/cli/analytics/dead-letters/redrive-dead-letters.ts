import { decodeEventRecord } from '../../../../shared/analytics/ingest/consume-records.ts';
import type { EventStreamWriter } from '../../../../shared/analytics/ingest/ports.ts';
import type { Lease } from '../../../../shared/platform/lease.ts';
import type { ObjectStore } from '../../../../shared/platform/object-store.ts';
import { type DeadLetter, listDeadLetters } from './dead-letter-records.ts';

export type RedrivePorts = {
  objects: Pick<ObjectStore, 'list' | 'get' | 'deleteAllVersions'>;
  stream: EventStreamWriter;
};

/** The outcome of a dead letter. `readable`: it would be sent. `unreadable`: it stays, with the reason. */
export type RedriveResult = DeadLetter & { outcome: 'sent' | 'readable' | 'unreadable' };

/**
 * Sends every dead letter that is readable now back to the stream, unchanged: the aggregation and the raw event storage
 * receive it again, and both merge it. The record is deleted after the stream has accepted it, so that a crash sends it
 * twice at most.
 *
 * @param lease without it, nothing is sent: a concurrent erasure would put back a record that was sent
 * already
 */
export async function* redriveDeadLetters(
  { objects, stream }: RedrivePorts,
  lease: Lease | undefined,
): AsyncGenerator<RedriveResult> {
  for await (const entry of listDeadLetters(objects)) {
    const { record } = entry;
    const read = record === undefined ? { reason: entry.reason } : decodeEventRecord(record);
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
