import { setImmediate as otherWork } from 'node:timers/promises';
import { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { decodeRecordRows } from '../../../shared/analytics/ingest/decode-record-rows.ts';
import type { DeadLetterStore } from '../../../shared/analytics/ingest/ports.ts';
import type { ReceivedRecord } from '../../../shared/analytics/ingest/stream-records.ts';
import type { RawEventWriter } from '../../../shared/analytics/raw-events/ports.ts';
import { arrivalDateOf } from '../../../shared/analytics/raw-events/raw-event-files.ts';

export type DeliveryPorts = {
  events: RawEventWriter;
  /** Stores invalid records with the reason. */
  errors: DeadLetterStore;
};

export type DeliveryResult = { events: number; unreadable: readonly { sequenceNumber: string; reason: string }[] };

/**
 * Writes records of the stream to the lake, one file per arrival date. All records are durable when the promise
 * resolves. A record that cannot be decoded is stored unchanged as an error output. Delivering records again adds
 * duplicate rows, which readers of events remove.
 *
 * @throws if a file or an error output could not be stored. The caller must then deliver all records again.
 */
export async function deliverRecords(
  ports: DeliveryPorts,
  records: readonly ReceivedRecord[],
): Promise<DeliveryResult> {
  const byDate = new Map<string, EventRow[]>();
  const unreadable: DeliveryResult['unreadable'][number][] = [];
  let events = 0;
  for (const record of records) {
    // Decoding a record of 900 KB takes 20 ms. Let other work of the thread run before each record.
    await otherWork();
    const read = decodeRecordRows(record.data, EventRow);
    if ('reason' in read) {
      await ports.errors.put(record, read.reason);
      unreadable.push({ sequenceNumber: record.sequenceNumber, reason: read.reason });
      continue;
    }
    events += read.rows.length;
    for (const row of read.rows) listOf(byDate, arrivalDateOf(row)).push(row);
  }
  for (const [arrivalDate, rows] of byDate) await ports.events.write(arrivalDate, rows);
  return { events, unreadable };
}

function listOf(byDate: Map<string, EventRow[]>, date: string): EventRow[] {
  const known = byDate.get(date);
  if (known !== undefined) return known;
  const list: EventRow[] = [];
  byDate.set(date, list);
  return list;
}
