import type { FreshFactRepository } from '../facts/ports.ts';
import { FactInputRow, reduceEventsToFacts } from '../facts/reduce-events-to-facts.ts';
import { decodeRecordRows } from './decode-record-rows.ts';
import type { DeadLetterStore } from './ports.ts';
import type { ReceivedRecord } from './stream-records.ts';

export type ConsumePorts = { fresh: Pick<FreshFactRepository, 'add'>; deadLetters: DeadLetterStore };

/**
 * The result of one record. `failed`: the facts or the dead letter were not stored, so the record must be delivered
 * again.
 */
export type RecordOutcome = { sequenceNumber: string } & (
  | { outcome: 'applied' }
  | { outcome: 'dead_lettered'; reason: string }
  | { outcome: 'failed'; cause: unknown }
);

type Readable = { record: ReceivedRecord; events: FactInputRow[] };
type Unreadable = { record: ReceivedRecord; reason: string };

/**
 * Reduces the records of one invocation to fresh facts. Returns the result of each record, in order, and never throws.
 * Applying a record again, alone or with other records, changes no count.
 */
export async function consumeRecords(
  ports: ConsumePorts,
  records: readonly ReceivedRecord[],
): Promise<RecordOutcome[]> {
  const decoded = records.map(decodeEvents);
  const failures = await addFacts(ports.fresh, decoded);
  return Promise.all(
    decoded.map(async (entry) => {
      const { sequenceNumber } = entry.record;
      if ('reason' in entry) return { sequenceNumber, ...(await storeDeadLetter(ports.deadLetters, entry)) };
      const failed = entry.events.find(({ funnel_id }) => failures.has(funnel_id));
      if (failed === undefined) return { sequenceNumber, outcome: 'applied' as const };
      return { sequenceNumber, outcome: 'failed' as const, cause: failures.get(failed.funnel_id) };
    }),
  );
}

/** Stores the facts of all readable records. @returns the errors by funnel id */
async function addFacts(
  fresh: ConsumePorts['fresh'],
  decoded: readonly (Readable | Unreadable)[],
): Promise<Map<string, unknown>> {
  const source = {
    first: decoded[0]?.record.sequenceNumber ?? '',
    last: decoded.at(-1)?.record.sequenceNumber ?? '',
  };
  const factsByFunnel = reduceEventsToFacts(decoded.flatMap((entry) => ('events' in entry ? entry.events : [])));
  const failures = new Map<string, unknown>();
  await Promise.all(
    [...factsByFunnel].map(([funnelId, facts]) =>
      fresh.add(funnelId, source, facts).catch((cause: unknown) => failures.set(funnelId, cause)),
    ),
  );
  return failures;
}

async function storeDeadLetter(deadLetters: DeadLetterStore, { record, reason }: Unreadable) {
  try {
    await deadLetters.put(record, reason);
    return { outcome: 'dead_lettered' as const, reason };
  } catch (cause) {
    return { outcome: 'failed' as const, cause };
  }
}

/** Decodes a record. Returns all of its events, or the reason why the record is unreadable. */
export function decodeEvents(record: ReceivedRecord): Readable | Unreadable {
  const decoded = decodeRecordRows(record.data, FactInputRow);
  return 'rows' in decoded ? { record, events: decoded.rows } : { record, ...decoded };
}
