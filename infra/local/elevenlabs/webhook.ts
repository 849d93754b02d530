import { createHmac } from 'node:crypto';
import type { Conversation, ConversationStore } from './conversations.ts';
import { eventJson } from './provider-json.ts';
import type { RehearsalSettings } from './settings.ts';

const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 30_000;
const ATTEMPT_MS = 10_000;

export type Webhook = {
  /** Tells of a conversation until that has been taken, also after a restart. */
  notify(conversation: Conversation): void;
  close(): void;
};

/** The webhook of the rehearsal agent: signed anew for each attempt, as its receiver believes no old one. */
export function startWebhook(conversations: ConversationStore, settings: RehearsalSettings): Webhook {
  const waiting = new Set<NodeJS.Timeout>();
  let closed = false;
  const attempt = async (conversation: Conversation, waitMs: number) => {
    const taken = await post(conversation, settings);
    // It may have been deleted meanwhile, and must not come back.
    if (closed || conversations.find(conversation.id) === undefined) return;
    if (taken) return conversations.save({ ...conversation, told: true });
    const timer = setTimeout(() => {
      waiting.delete(timer);
      void attempt(conversation, Math.min(2 * waitMs, LAST_WAIT_MS));
    }, waitMs);
    waiting.add(timer);
  };
  const tell = (conversation: Conversation) => void attempt(conversation, FIRST_WAIT_MS);
  for (const one of conversations.list()) if (one.state !== 'signed' && !one.told) tell(one);
  return {
    notify: tell,
    close: () => {
      closed = true;
      for (const timer of waiting) clearTimeout(timer);
    },
  };
}

/** Whether the API has taken it: nothing else than a 200 counts for ElevenLabs. */
async function post(conversation: Conversation, { webhookUrl, webhookSecret }: RehearsalSettings): Promise<boolean> {
  const body = JSON.stringify(eventJson(conversation, Date.now()));
  const seconds = Math.floor(Date.now() / 1_000);
  const digest = createHmac('sha256', webhookSecret).update(`${seconds}.${body}`).digest('hex');
  try {
    const { status } = await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'elevenlabs-signature': `t=${seconds},v0=${digest}` },
      body,
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    if (status !== 200) console.error(`The webhook of ${conversation.id} was answered with ${status}.`);
    return status === 200;
  } catch {
    // The API is not up yet, or again.
    return false;
  }
}
