import type { DeadLetterStore, StreamRecord } from '../ingest/dead-letters.ts';
import { decodeRecordRows } from '../ingest/decode-record-rows.ts';
import type { FreshFactRepository } from './fresh-facts.ts';
import { FactInputRow, reduceEventsToFacts } from './reduce-events-to-facts.ts';

export type AggregatePorts = { fresh: Pick<FreshFactRepository, 'add'>; deadLetters: DeadLetterStore };

/** What became of a record. `failed`: its effect is not stored, so that it must be delivered again. */
export type RecordOutcome = { sequenceNumber: string } & (
  | { outcome: 'applied' }
  | { outcome: 'set aside'; reason: string }
  | { outcome: 'failed'; cause: unknown }
);

type Readable = { record: StreamRecord; events: FactInputRow[] };
type Unreadable = { record: StreamRecord; reason: string };

/**
 * Reduces a batch of the event stream to fresh facts and says what became of each record, in their order. Never
 * throws. Applying a record again, alone or in another batch, changes no number.
 */
export async function aggregateRecords(
  ports: AggregatePorts,
  records: readonly StreamRecord[],
): Promise<RecordOutcome[]> {
  const read = records.map(decodeEventRecord);
  const failures = await addFacts(ports.fresh, read);
  return Promise.all(
    read.map(async (entry) => {
      const { sequenceNumber } = entry.record;
      if ('reason' in entry) return { sequenceNumber, ...(await putAside(ports.deadLetters, entry)) };
      const failed = entry.events.find(({ funnel_id }) => failures.has(funnel_id));
      if (failed === undefined) return { sequenceNumber, outcome: 'applied' as const };
      return { sequenceNumber, outcome: 'failed' as const, cause: failures.get(failed.funnel_id) };
    }),
  );
}

/** Stores what the readable records say. @returns why, for the funnels whose facts could not be stored */
async function addFacts(
  fresh: AggregatePorts['fresh'],
  read: readonly (Readable | Unreadable)[],
): Promise<Map<string, unknown>> {
  const source = {
    first: read[0]?.record.sequenceNumber ?? '',
    last: read.at(-1)?.record.sequenceNumber ?? '',
  };
  const facts = reduceEventsToFacts(read.flatMap((entry) => ('events' in entry ? entry.events : [])));
  const failures = new Map<string, unknown>();
  await Promise.all(
    [...facts].map(([funnelId, of]) =>
      fresh.add(funnelId, source, of).catch((cause: unknown) => failures.set(funnelId, cause)),
    ),
  );
  return failures;
}

async function putAside(setAside: DeadLetterStore, { record, reason }: Unreadable) {
  try {
    await setAside.put(record, reason);
    return { outcome: 'set aside' as const, reason };
  } catch (cause) {
    return { outcome: 'failed' as const, cause };
  }
}

/** All of a record's events, or why it is not what ingest writes. Half a record is never applied. */
export function decodeEventRecord(record: StreamRecord): Readable | Unreadable {
  const read = decodeRecordRows(record.data, FactInputRow);
  return 'rows' in read ? { record, events: read.rows } : { record, ...read };
}
