import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';

const Turn = z.object({
  role: z.enum(['user', 'agent']),
  message: z.string(),
  time_in_call_secs: z.number(),
  interrupted: z.boolean(),
});

/** A conversation as the rehearsal agent keeps it: signed for, held, or not begun as nobody answered. */
const Conversation = z.object({
  id: z.string(),
  agentId: z.string(),
  signature: z.string(),
  signedAtMs: z.number(),
  state: z.enum(['signed', 'held', 'unreachable']),
  language: z.string(),
  turns: z.array(Turn),
  startedAtMs: z.number(),
  seconds: z.number(),
  /** Whether the webhook has been taken. */
  told: z.boolean(),
});
export type Conversation = z.infer<typeof Conversation>;

export type ConversationStore = {
  list(): Conversation[];
  find(id: string): Conversation | undefined;
  /** In its file when it returns. */
  save(conversation: Conversation): void;
  /** For good. */
  delete(id: string): void;
};

export const SIGNED_MS = 15 * 60_000;
/** So many are kept, the latest; those that nobody was told of yet besides. */
const KEPT_MAX = 500;

/** Opens what a folder holds. A file that a kill cut off is passed over: it was never the one that counts. */
export function openConversations(folder: string, nowMs: number): ConversationStore {
  mkdirSync(folder, { recursive: true });
  const fileOf = (id: string) => join(folder, `${id}.json`);
  const kept = new Map<string, Conversation>();
  for (const name of readdirSync(folder)) {
    const { data } = Conversation.safeParse(tryParseJson(readFileSync(join(folder, name), 'utf8')));
    if (data !== undefined && name === `${data.id}.json` && !isOver(data, nowMs)) kept.set(data.id, data);
    else rmSync(join(folder, name));
  }
  const forget = (id: string) => {
    kept.delete(id);
    rmSync(fileOf(id), { force: true });
  };
  const forgetOldest = () => {
    const oldest = [...kept.values()].find(({ told, state }) => told || state === 'signed');
    if (kept.size > KEPT_MAX && oldest !== undefined) forget(oldest.id);
  };
  return {
    list: () => [...kept.values()],
    find: (id) => kept.get(id),
    delete: forget,
    save: (conversation) => {
      const file = fileOf(conversation.id);
      writeFileSync(`${file}.new`, JSON.stringify(conversation), { mode: 0o600 });
      renameSync(`${file}.new`, file);
      kept.set(conversation.id, conversation);
      forgetOldest();
    },
  };
}

/** Whether a signed URL was never used, and can't be any more. */
const isOver = ({ state, signedAtMs }: Conversation, nowMs: number): boolean =>
  state === 'signed' && nowMs - signedAtMs > SIGNED_MS;
