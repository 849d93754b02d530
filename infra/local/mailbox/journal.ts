import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import { readTextIfExists } from '../common/json-file.ts';

const FILE = 'messages.jsonl';
/** Maximum number of messages that `entries` returns. The file can also contain older messages. */
export const MESSAGES_MAX = 1_000;

const Attachment = z.looseObject({ contentType: z.string(), filename: z.optional(z.string()), size: z.number() });

/** An e-mail in the format of aws-ses-v2-local. */
const Email = z.object({
  messageId: z.string(),
  from: z.string(),
  replyTo: z.array(z.string()),
  destination: z.object({ to: z.array(z.string()), cc: z.array(z.string()), bcc: z.array(z.string()) }),
  subject: z.string(),
  body: z.object({ html: z.optional(z.string()), text: z.optional(z.string()) }),
  attachments: z.array(Attachment),
  headers: z.optional(z.array(z.object({ name: z.string(), value: z.string() }))),
  /** Seconds since the epoch. */
  at: z.number(),
});
export type Email = z.infer<typeof Email>;

const Sms = z.object({
  messageId: z.string(),
  destination: z.string(),
  sender: z.string(),
  body: z.string(),
  /** Seconds since the epoch. */
  at: z.number(),
});

const Entry = z.discriminatedUnion('channel', [
  z.object({ channel: z.literal('email'), email: Email }),
  z.object({ channel: z.literal('sms'), sms: Sms }),
]);
export type Entry = z.infer<typeof Entry>;

/** The sent messages, oldest first. */
export type Journal = { entries(): readonly Entry[]; add(entry: Entry): void; clear(): void };

/**
 * Opens the journal in a folder. `add` returns when the message is in the file, so that a message survives a restart
 * and a kill. A line that a kill left incomplete is ignored.
 */
export function openJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, FILE);
  let entries = readEntries(file);
  let lines = entries.length;
  const rewrite = () => {
    writeFileSync(`${file}.new`, entries.map(toLine).join(''));
    renameSync(`${file}.new`, file);
    lines = entries.length;
  };
  rewrite();
  return {
    entries: () => entries,
    add: (entry) => {
      appendFileSync(file, toLine(entry));
      entries = [...entries, entry].slice(-MESSAGES_MAX);
      lines++;
      if (lines > 2 * MESSAGES_MAX) rewrite();
    },
    clear: () => {
      entries = [];
      rewrite();
    },
  };
}

const toLine = (entry: Entry): string => `${JSON.stringify(entry)}\n`;

function readEntries(file: string): Entry[] {
  const lines = readTextIfExists(file).split('\n');
  const parsed = lines.map((line) => Entry.safeParse(tryParseJson(line)));
  return parsed.flatMap(({ data }) => (data === undefined ? [] : [data])).slice(-MESSAGES_MAX);
}
