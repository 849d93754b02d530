import { setImmediate as otherWork } from 'node:timers/promises';
import { rowsOf } from '../events/record-rows.ts';
import type { SetAside, StreamRecord } from '../events/set-aside.ts';
import { StoredEvent } from '../events/stored-event.ts';
import { arrivalDateOf, type RawEventWriter } from './raw-event-files.ts';

export type KeepPorts = {
  events: RawEventWriter;
  /** Takes the records that are no events, with the reason. */
  errors: SetAside;
};

export type Kept = { events: number; unreadable: readonly { sequenceNumber: string; reason: string }[] };

/**
 * Puts records of the stream into the lake, a file for each arrival date; everything is durable once it resolves. A
 * record that can not be read goes where errors go, whole, and costs the others nothing. Keeping records again adds
 * rows that are there already, which readers of events take once.
 *
 * @throws when something could not be stored: all of the records must come again
 */
export async function keepRecords(ports: KeepPorts, records: readonly StreamRecord[]): Promise<Kept> {
  const byDate = new Map<string, StoredEvent[]>();
  const unreadable: Kept['unreadable'][number][] = [];
  let events = 0;
  for (const record of records) {
    // A record of 900 KB takes 20 ms: whoever shares the thread goes on in between.
    await otherWork();
    const read = rowsOf(record.data, StoredEvent);
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

function listOf(byDate: Map<string, StoredEvent[]>, date: string): StoredEvent[] {
  const known = byDate.get(date);
  if (known !== undefined) return known;
  const list: StoredEvent[] = [];
  byDate.set(date, list);
  return list;
}
