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

/**
 * A stored conversation. States: `signed` (has a signed URL, but was not started), `held` (took place), `unreachable`
 * (the simulated customer did not answer the call).
 */
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
  /** Whether the webhook was delivered. Must not be renamed, because stored conversations contain the name. */
  told: z.boolean(),
});
export type Conversation = z.infer<typeof Conversation>;

export type ConversationStore = {
  list(): Conversation[];
  find(id: string): Conversation | undefined;
  /** Writes the conversation to its file before it returns. */
  save(conversation: Conversation): void;
  delete(id: string): void;
};

/** How long after its creation a signed URL can be used. */
export const SIGNED_URL_TTL_MS = 15 * 60_000;
/** Above this number, each save removes a conversation that has not started, or whose webhook was delivered. */
const STORED_MAX = 500;

/** Opens the conversations in a folder. Removes expired conversations and incomplete files. */
export function openConversations(folder: string, nowMs: number): ConversationStore {
  mkdirSync(folder, { recursive: true });
  const filePath = (id: string) => join(folder, `${id}.json`);
  const stored = new Map<string, Conversation>();
  for (const name of readdirSync(folder)) {
    const { data } = Conversation.safeParse(tryParseJson(readFileSync(join(folder, name), 'utf8')));
    if (data !== undefined && name === `${data.id}.json` && !isExpired(data, nowMs)) stored.set(data.id, data);
    else rmSync(join(folder, name));
  }
  const remove = (id: string) => {
    stored.delete(id);
    rmSync(filePath(id), { force: true });
  };
  const removeOldest = () => {
    const oldest = [...stored.values()].find(({ told, state }) => told || state === 'signed');
    if (stored.size > STORED_MAX && oldest !== undefined) remove(oldest.id);
  };
  return {
    list: () => [...stored.values()],
    find: (id) => stored.get(id),
    delete: remove,
    save: (conversation) => {
      const file = filePath(conversation.id);
      writeFileSync(`${file}.new`, JSON.stringify(conversation), { mode: 0o600 });
      renameSync(`${file}.new`, file);
      stored.set(conversation.id, conversation);
      removeOldest();
    },
  };
}

/** Whether the conversation was never started and its URL has expired. */
const isExpired = ({ state, signedAtMs }: Conversation, nowMs: number): boolean =>
  state === 'signed' && nowMs - signedAtMs > SIGNED_URL_TTL_MS;
