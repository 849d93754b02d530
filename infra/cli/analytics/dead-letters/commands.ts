import { decodeEvents } from '../../../../shared/analytics/ingest/consume-records.ts';
import { DEAD_LETTER_PREFIX } from '../../../../shared/analytics/ingest/dead-letters.ts';
import { EVENT_ERRORS_PREFIX } from '../../../../shared/analytics/raw-events/raw-event-files.ts';
import type { Lease } from '../../../../shared/platform/lease.ts';
import { UserError } from '../../../common/user-error.ts';
import { argument, command, flag, group } from '../../program/command.ts';
import { dryRun, yes } from '../../program/parameters.ts';
import { formatBytes, formatCount, formatTime } from '../../terminal/format.ts';
import { Fields, Rendered, toJson } from '../../terminal/output.ts';
import { printable, printableLine } from '../../terminal/printable.ts';
import { NOTHING_CHANGED } from '../../terminal/terminal.ts';
import { createLeaseFor, deadLetterStore, redriveStores } from '../dependencies.ts';
import { type DeadLetter, listDeadLetters, readDeadLetter } from './dead-letter-records.ts';
import { type RedriveResult, redriveDeadLetters } from './redrive-dead-letters.ts';

const EXPLANATION = `Dead letters are records of the event stream that could not be decoded.
They are stored as objects below ${DEAD_LETTER_PREFIX} in the bucket of dead letters.
The stream has a second consumer, Firehose, which stores raw events in the lake bucket.
Records that Firehose could not store are below ${EVENT_ERRORS_PREFIX} in the lake bucket.
If Firehose could not store the record of a dead letter either, both buckets contain the record.
"analytics redrive" puts dead letters that can be decoded now on the stream again.
"analytics dead-letters discard" deletes dead letters permanently.
Neither command deletes the copy in the lake bucket.`;

const JSON_LINES =
  'one line of JSON per dead letter: `id`, `key` (of the object), `storedAt`, `shard`, `sequenceNumber`, `bytes`, ' +
  '`reason`';
const OUTCOME_LINES = `${JSON_LINES}, \`outcome\``;

const idOf = ({ key }: DeadLetter): string =>
  key.endsWith('.json') ? key.slice(DEAD_LETTER_PREFIX.length, -'.json'.length) : key;

const sizeOf = ({ record }: DeadLetter): number => record?.data.length ?? 0;

/** Returns why the record can't be decoded now, or undefined if it can be decoded. */
function decodingError({ record, reason }: DeadLetter): string | undefined {
  const decoded = record === undefined ? { reason } : decodeEvents(record);
  return 'reason' in decoded ? decoded.reason : undefined;
}

const toFields = (letter: DeadLetter) => ({
  id: idOf(letter),
  key: letter.key,
  storedAt: new Date(letter.atMs).toISOString(),
  shard: letter.record?.shard ?? null,
  sequenceNumber: letter.record?.sequenceNumber ?? null,
  bytes: sizeOf(letter),
  reason: letter.reason,
});

const lineOf = (letter: DeadLetter, reason: string | undefined = letter.reason): string =>
  printableLine(
    [formatTime(letter.atMs), idOf(letter), formatBytes(sizeOf(letter)), reason].filter(Boolean).join('  '),
  );

async function requireDeadLetter(id: string): Promise<DeadLetter> {
  const key = id.startsWith(DEAD_LETTER_PREFIX) ? id : `${DEAD_LETTER_PREFIX}${id}.json`;
  const letter = await readDeadLetter(deadLetterStore(), key);
  if (letter === undefined) throw new UserError(`There is no dead letter ${id}: see "analytics dead-letters list".`);
  return letter;
}

const list = command({
  name: 'list',
  description: 'Lists dead letters, and why they could not be decoded.',
  json: JSON_LINES,
  help: EXPLANATION,
  // Prints each dead letter as soon as it is read, because there can be many.
  run: async (_, { json, terminal }) => {
    let records = 0;
    let bytes = 0;
    for await (const letter of listDeadLetters(deadLetterStore())) {
      records++;
      bytes += sizeOf(letter);
      await terminal.write(`${json ? toJson(toFields(letter)) : lineOf(letter)}\n`);
    }
    terminal.note(`${formatCount(records, 'dead letter')}, ${formatBytes(bytes)}.`);
  },
});

const SHOWN_CHARACTERS = 2_000;

const show = command({
  name: 'show',
  description: 'Shows a dead letter with the first 2,000 characters of its content, which may contain personal data.',
  args: { id: argument('<record>', 'id of the dead letter; see "analytics dead-letters list"') },
  json: 'one JSON object: the dead letter, with its whole content as base64 in `data`',
  run: async ({ id }) => {
    const letter = await requireDeadLetter(id);
    const data = letter.record && Buffer.from(letter.record.data);
    const text = printable(data?.toString() ?? '');
    const size = formatBytes(sizeOf(letter));
    return {
      json: { ...toFields(letter), data: data?.toString('base64') ?? null },
      text: [
        new Fields(
          ['record', idOf(letter)],
          ['stored', formatTime(letter.atMs)],
          ['size', size],
          ['reason', letter.reason],
          ['now', decodingError(letter) ?? 'readable: send it to the stream with "analytics redrive"'],
        ),
        text === '' ? undefined : new Rendered(`\n${text.slice(0, SHOWN_CHARACTERS)}\n`),
      ],
      hints: text.length > SHOWN_CHARACTERS ? [`Only the start is shown: --json prints all ${size} as base64.`] : [],
    };
  },
});

const discard = command({
  name: 'discard',
  description: 'Deletes dead letters permanently. Their events are never counted.',
  args: { ids: argument<string[]>('<record...>', 'ids of dead letters; see "analytics dead-letters list"') },
  options: {
    readable: flag(
      '--readable',
      'also discard dead letters that can be decoded now (default: if one can be decoded, discard none)',
    ),
    yes,
  },
  json: `${OUTCOME_LINES} (always \`discarded\`)`,
  run: async ({ ids, readable: isReadableAllowed, yes: isConfirmed }, { terminal, confirm, json }) => {
    const letters: DeadLetter[] = [];
    for (const id of new Set(ids)) letters.push(await requireDeadLetter(id));
    const readable = letters.filter((letter) => decodingError(letter) === undefined);
    if (readable.length > 0 && !isReadableAllowed) {
      throw new UserError(
        `These records are readable now: ${readable.map(idOf).join(', ')}. ` +
          `Send them to the stream with "analytics redrive", or discard them with --readable. ${NOTHING_CHANGED}`,
      );
    }
    const count = formatCount(letters.length, 'dead letter');
    await confirm(`Discard ${count} permanently? Their events will never be counted.`, isConfirmed);
    await createLeaseFor(
      'analytics dead-letters discard',
      terminal,
    )(async ({ assertHeld }) => {
      for (const letter of letters) {
        await assertHeld();
        await deadLetterStore().deleteAllVersions(letter.key);
        const line = json ? toJson({ outcome: 'discarded', ...toFields(letter) }) : `discarded  ${lineOf(letter)}`;
        await terminal.write(`${line}\n`);
      }
    });
  },
});

export const deadLetters = group(
  'dead-letters',
  'Records of the event stream that could not be decoded: list, show and discard them.',
  [list, show, discard],
);

export const redrive = command({
  name: 'redrive',
  description: 'Puts dead letters that can be decoded now on the event stream again, then deletes them.',
  options: { dryRun },
  json: `${OUTCOME_LINES} (\`sent\`, \`unreadable\` for a dead letter that stays, or \`readable\` in a dry run)`,
  help: `${EXPLANATION}
If the command is interrupted, its next run can put a record on the stream a second time.
The events of this record are counted once.`,
  run: async ({ dryRun: isDryRun }, { terminal, json }) => {
    const run = async (lease?: Lease) => {
      const counts: Record<RedriveResult['outcome'], number> = { sent: 0, readable: 0, unreadable: 0 };
      for await (const letter of redriveDeadLetters(redriveStores(), lease)) {
        const { outcome } = letter;
        counts[outcome]++;
        const line = `${outcome.padEnd(10)}  ${lineOf(letter, outcome === 'unreadable' ? letter.reason : '')}`;
        await terminal.write(`${json ? toJson({ outcome, ...toFields(letter) }) : line}\n`);
      }
      return counts;
    };
    const { sent, readable, unreadable } = isDryRun
      ? await run()
      : await createLeaseFor('analytics redrive', terminal)((lease) => run(lease));
    const done = isDryRun
      ? `${formatCount(readable, 'dead letter')} would be sent`
      : `${formatCount(sent, 'dead letter')} sent to the stream again`;
    terminal.note(`${done}, ${unreadable} cannot be decoded and ${unreadable === 1 ? 'stays' : 'stay'}.`);
    if (unreadable > 0)
      terminal.note(
        'Inspect unreadable records with "analytics dead-letters show", or delete them with ' +
          '"analytics dead-letters discard".',
      );
  },
});
