import { SET_ASIDE_PREFIX } from '../../../shared/analytics/events/set-aside.ts';
import { EVENT_ERRORS_PREFIX } from '../../../shared/analytics/lake/raw-event-files.ts';
import { type Redriven, redrive } from '../../../shared/analytics/upkeep/redrive.ts';
import { type SetAsideRecord, setAsideRecords } from '../../../shared/analytics/upkeep/set-aside-records.ts';
import type { Turn } from '../../../shared/analytics/upkeep/turns.ts';
import { printableLine } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { redriveStores, setAsideStore, turnsOf } from './stores.ts';
import { bytesText, counted, timeText } from './words.ts';

export const WHAT_IS_WHAT = `Set aside (${SET_ASIDE_PREFIX}) are records of the event stream that could not be counted: a redrive
puts them back onto the stream. What could not be kept as a raw event stands apart, below
${EVENT_ERRORS_PREFIX} of the lake: a record that nobody can read stands in both.`;

/** One record a line, as it comes: there may be many. */
export async function listSetAside({ json }: { json?: true }, { write, note }: Terminal): Promise<void> {
  let records = 0;
  let bytes = 0;
  for await (const entry of setAsideRecords(setAsideStore())) {
    records++;
    bytes += sizeOf(entry);
    await write(json ? `${JSON.stringify(fieldsOf(entry))}\n` : `${lineOf(entry)}  ${printableLine(entry.reason)}\n`);
  }
  note(`${counted(records, 'record')} set aside, ${bytesText(bytes)}.`);
}

/** Sends what can be read by now, and says of each record what became of it. */
export async function redriveAll(options: { dryRun?: true; json?: true }, terminal: Terminal): Promise<void> {
  if (options.dryRun) await tellRedriven(options, terminal);
  else await turnsOf('analytics redrive', terminal)((turn) => tellRedriven(options, terminal, turn));
}

async function tellRedriven(options: { dryRun?: true; json?: true }, { write, note }: Terminal, turn?: Turn) {
  const counts: Record<Redriven['outcome'], number> = { sent: 0, readable: 0, unreadable: 0 };
  for await (const entry of redrive(redriveStores(), turn)) {
    counts[entry.outcome]++;
    const { outcome, reason } = entry;
    const why = outcome === 'unreadable' ? `  ${printableLine(reason)}` : '';
    await write(
      options.json
        ? `${JSON.stringify({ outcome, ...fieldsOf(entry) })}\n`
        : `${outcome.padEnd(10)}  ${lineOf(entry)}${why}\n`,
    );
  }
  const done = options.dryRun ? `${counts.readable} would be sent` : `${counts.sent} sent onto the stream again`;
  note(`${done}, ${counts.unreadable} can not be read and ${counts.unreadable === 1 ? 'stays' : 'stay'} set aside.`);
}

const sizeOf = ({ record }: SetAsideRecord): number => record?.data.length ?? 0;

const fieldsOf = (entry: SetAsideRecord) => ({
  key: entry.key,
  setAsideAt: new Date(entry.atMs).toISOString(),
  shard: entry.record?.shard ?? null,
  sequenceNumber: entry.record?.sequenceNumber ?? null,
  bytes: sizeOf(entry),
  reason: entry.reason,
});

function lineOf(entry: SetAsideRecord): string {
  const { record } = entry;
  const where = record === undefined ? printableLine(entry.key) : `${record.shard} ${record.sequenceNumber}`;
  return `${timeText(entry.atMs)}  ${printableLine(where)}  ${bytesText(sizeOf(entry))}`;
}
