import { decodeEventRecord } from '../../../shared/analytics/facts/aggregate-records.ts';
import { DEAD_LETTER_PREFIX } from '../../../shared/analytics/ingest/dead-letters.ts';
import { EVENT_ERRORS_PREFIX } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import type { Lease } from '../../../shared/platform/lease.ts';
import { UserError } from '../../common/user-error.ts';
import { formatBytes, formatCount, formatFields, formatTime } from '../terminal/format.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { confirm } from '../terminal/terminal.ts';
import { type DeadLetter, listDeadLetters, readDeadLetter } from './dead-letters/dead-letter-records.ts';
import { type RedriveResult, redriveDeadLetters } from './dead-letters/redrive-dead-letters.ts';
import { deadLetterStore, redriveStores, turnsOf } from './dependencies.ts';

export const WHAT_IS_WHAT = `Dead letters (${DEAD_LETTER_PREFIX}) are records of the event stream that could not be counted: redrive puts
those that can be read now back onto the stream, discard deletes one for good. Events that could not be stored as raw
events are separate, below ${EVENT_ERRORS_PREFIX} of the lake; an unreadable record is in both.`;

/** Enough to recognise a record by. */
const SHOWN_CHARACTERS = 2_000;

/** One record a line, as it comes: there may be many. */
export async function printDeadLetters({ json }: { json?: true }, { write, note }: Terminal): Promise<void> {
  let records = 0;
  let bytes = 0;
  for await (const entry of listDeadLetters(deadLetterStore())) {
    records++;
    bytes += sizeOf(entry);
    await write(json ? `${JSON.stringify(fieldsOf(entry))}\n` : `${lineOf(entry)}  ${printableLine(entry.reason)}\n`);
  }
  note(`${formatCount(records, 'dead letter')}, ${formatBytes(bytes)}.`);
}

/** Shows one dead letter with the start of its content, which may hold personal data. @throws FriendlyError */
export async function showDeadLetter(id: string, { json }: { json?: true }, { write, note }: Terminal): Promise<void> {
  const entry = await deadLetterOf(id);
  const { record } = entry;
  const data = record && Buffer.from(record.data);
  if (json) return write(`${JSON.stringify({ ...fieldsOf(entry), data: data?.toString('base64') ?? null })}\n`);
  const text = printable(data?.toString() ?? '');
  await write(
    formatFields([
      ['record', idOf(entry)],
      ['since', formatTime(entry.atMs)],
      ['size', formatBytes(sizeOf(entry))],
      ['reason', printableLine(entry.reason)],
      ['now', problemOf(entry) ?? 'It can be read: "analytics redrive" counts it.'],
    ]),
  );
  if (text !== '') await write(`\n${text.slice(0, SHOWN_CHARACTERS)}\n`);
  if (text.length > SHOWN_CHARACTERS) note(`… and more: --json has all ${formatBytes(sizeOf(entry))}, as base64.`);
}

type DiscardOptions = { readable?: true; yes?: true; json?: true };

/** Deletes dead letters for good; their events are never counted. @throws FriendlyError, before anything is deleted */
export async function discardDeadLetters(ids: readonly string[], options: DiscardOptions, terminal: Terminal) {
  const entries: DeadLetter[] = [];
  for (const id of new Set(ids)) entries.push(await deadLetterOf(id));
  const readable = entries.filter((entry) => problemOf(entry) === undefined);
  if (readable.length > 0 && !options.readable) {
    const isOrAre = readable.length === 1 ? 'is readable' : 'are readable';
    throw new UserError(
      `${readable.map(idOf).join(', ')} ${isOrAre} now, and "analytics redrive" counts the events. To lose them, add --readable. Nothing was changed.`,
    );
  }
  const question = `Discard ${formatCount(entries.length, 'dead letter')} for good? The events are never counted.`;
  await confirm(terminal, question, options.yes);
  await turnsOf(
    'analytics dead-letters discard',
    terminal,
  )(async ({ assertHeld: confirmLease }) => {
    for (const entry of entries) {
      await confirmLease();
      await deadLetterStore().deleteAllVersions(entry.key);
      const line = `discarded  ${lineOf(entry)}  ${printableLine(entry.reason)}`;
      await terminal.write(
        options.json ? `${JSON.stringify({ outcome: 'discarded', ...fieldsOf(entry) })}\n` : `${line}\n`,
      );
    }
  });
}

/** Sends what can be read by now, and reports each record's outcome. */
export async function redriveAll(options: { dryRun?: true; json?: true }, terminal: Terminal): Promise<void> {
  if (options.dryRun) await reportRedriven(options, terminal);
  else await turnsOf('analytics redrive', terminal)((turn) => reportRedriven(options, terminal, turn));
}

async function reportRedriven(options: { dryRun?: true; json?: true }, { write, note }: Terminal, turn?: Lease) {
  const counts: Record<RedriveResult['outcome'], number> = { sent: 0, readable: 0, unreadable: 0 };
  for await (const entry of redriveDeadLetters(redriveStores(), turn)) {
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
  note(`${done}, ${counts.unreadable} can not be read and ${counts.unreadable === 1 ? 'stays' : 'stay'}.`);
  if (counts.unreadable > 0) note('See them with "analytics dead-letters show", remove them with "… discard".');
}

async function deadLetterOf(id: string): Promise<DeadLetter> {
  const key = id.startsWith(DEAD_LETTER_PREFIX) ? id : `${DEAD_LETTER_PREFIX}${id}.json`;
  const entry = await readDeadLetter(deadLetterStore(), key);
  if (entry === undefined)
    throw new UserError(`There is no dead letter ${printableLine(id)}: see "dead-letters list".`);
  return entry;
}

/** Why it can't be read; undefined when it can. */
function problemOf({ record, reason }: DeadLetter): string | undefined {
  const read = record === undefined ? { reason } : decodeEventRecord(record);
  return 'reason' in read ? read.reason : undefined;
}

const sizeOf = ({ record }: DeadLetter): number => record?.data.length ?? 0;

/** What `show` and `discard` take. */
const idOf = ({ key }: DeadLetter): string =>
  key.endsWith('.json') ? key.slice(DEAD_LETTER_PREFIX.length, -'.json'.length) : key;

const fieldsOf = (entry: DeadLetter) => ({
  id: idOf(entry),
  key: entry.key,
  storedAt: new Date(entry.atMs).toISOString(),
  shard: entry.record?.shard ?? null,
  sequenceNumber: entry.record?.sequenceNumber ?? null,
  bytes: sizeOf(entry),
  reason: entry.reason,
});

const lineOf = (entry: DeadLetter): string =>
  `${formatTime(entry.atMs)}  ${printableLine(idOf(entry))}  ${formatBytes(sizeOf(entry))}`;
