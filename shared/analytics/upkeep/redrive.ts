import type { EventStream } from '../events/event-stream.ts';
import { readRecord } from '../facts/aggregate.ts';
import { type SetAsideRecord, setAsideRecords } from './set-aside-records.ts';
import type { StoredObjects } from './stored-objects.ts';
import type { Turn } from './turns.ts';

export type RedrivePorts = { objects: Pick<StoredObjects, 'list' | 'get' | 'removeForGood'>; stream: EventStream };

/** What became of a set-aside record. `readable`: it would be sent. `unreadable`: it stays, and why. */
export type Redriven = SetAsideRecord & { outcome: 'sent' | 'readable' | 'unreadable' };

/**
 * Puts every set-aside record that can be read by now back onto the stream, as it is: whoever counts and whoever keeps
 * events gets it again, and both merge. It is removed only when the stream has it, so a crash at most sends it twice.
 *
 * @param turn without it nothing is sent: an erasure beside it would put back a record that is sent already
 */
export async function* redrive({ objects, stream }: RedrivePorts, turn: Turn | undefined): AsyncGenerator<Redriven> {
  for await (const entry of setAsideRecords(objects)) {
    const { record } = entry;
    const read = record === undefined ? { reason: entry.reason } : readRecord(record);
    if (record === undefined || 'reason' in read) {
      yield { ...entry, outcome: 'unreadable', ...('reason' in read && { reason: read.reason }) };
    } else if (turn === undefined) yield { ...entry, outcome: 'readable' };
    else {
      await turn.confirm();
      await stream.append(record.data);
      await turn.confirm();
      await objects.removeForGood(entry.key);
      yield { ...entry, outcome: 'sent' };
    }
  }
}
