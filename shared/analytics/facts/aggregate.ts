import { describeIssues } from '../../http/stack/parse-stage.ts';
import type { SetAside, StreamRecord } from '../events/set-aside.ts';
import type { FreshFacts } from './fresh-facts.ts';
import { CountedEvent, reduceEvents } from './reduce-events.ts';

export type AggregatePorts = { fresh: Pick<FreshFacts, 'add'>; setAside: SetAside };

/** What became of a record. `failed`: its effect is not stored, so that it must be delivered again. */
export type RecordOutcome = { sequenceNumber: string } & (
  | { outcome: 'applied' }
  | { outcome: 'set aside'; reason: string }
  | { outcome: 'failed'; cause: unknown }
);

type Readable = { record: StreamRecord; events: CountedEvent[] };
type Unreadable = { record: StreamRecord; reason: string };

/**
 * Reduces a batch of the event stream to fresh facts and says what became of each record, in their order. Never
 * throws. Applying a record again, alone or in another batch, changes no number.
 */
export async function aggregate(ports: AggregatePorts, records: readonly StreamRecord[]): Promise<RecordOutcome[]> {
  const read = records.map(readRecord);
  const failures = await addFacts(ports.fresh, read);
  return Promise.all(
    read.map(async (entry) => {
      const { sequenceNumber } = entry.record;
      if ('reason' in entry) return { sequenceNumber, ...(await putAside(ports.setAside, entry)) };
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
  const facts = reduceEvents(read.flatMap((entry) => ('events' in entry ? entry.events : [])));
  const failures = new Map<string, unknown>();
  await Promise.all(
    [...facts].map(([funnelId, of]) =>
      fresh.add(funnelId, source, of).catch((cause: unknown) => failures.set(funnelId, cause)),
    ),
  );
  return failures;
}

async function putAside(setAside: SetAside, { record, reason }: Unreadable) {
  try {
    await setAside.put(record, reason);
    return { outcome: 'set aside' as const, reason };
  } catch (cause) {
    return { outcome: 'failed' as const, cause };
  }
}

/** All of a record's events, or why it is not what ingest writes. Half a record is never applied. */
function readRecord(record: StreamRecord): Readable | Unreadable {
  const lines = linesOf(record.data);
  if (lines === undefined) return { record, reason: 'The record is not made of complete lines of UTF-8 text.' };
  const events: CountedEvent[] = [];
  for (const [index, line] of lines.entries()) {
    const read = CountedEvent.safeParse(jsonOf(line));
    if (!read.success) return { record, reason: describeIssues(read.error.issues, `line ${index + 1}`) };
    events.push(read.data);
  }
  return { record, events };
}

function linesOf(data: Uint8Array): string[] | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    return text.endsWith('\n') ? text.slice(0, -1).split('\n') : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for what is not JSON, which no row is either. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
