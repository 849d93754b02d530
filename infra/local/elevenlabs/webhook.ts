import { createHmac } from 'node:crypto';
import type { Conversation, ConversationStore } from './conversations.ts';
import { eventJson } from './provider-json.ts';
import type { RehearsalSettings } from './settings.ts';

const FIRST_RETRY_DELAY_MS = 250;
const RETRY_DELAY_MS_MAX = 30_000;
const REQUEST_TIMEOUT_MS = 10_000;

export type Webhook = {
  /**
   * Sends the webhook of a conversation. Retries until the receiver accepts the webhook or the conversation is deleted.
   * After a restart of this process, `startWebhook` continues.
   */
  notify(conversation: Conversation): void;
  close(): void;
};

/**
 * Starts sending webhooks. Begins with the undelivered webhooks of earlier runs. Signs each attempt separately, because
 * receivers reject old signatures.
 */
export function startWebhook(conversations: ConversationStore, settings: RehearsalSettings): Webhook {
  const retryTimers = new Set<NodeJS.Timeout>();
  let isClosed = false;
  const attempt = async (conversation: Conversation, retryDelayMs: number) => {
    const isDelivered = await post(conversation, settings);
    // If the conversation was deleted in the meantime, don't save it again.
    if (isClosed || conversations.find(conversation.id) === undefined) return;
    if (isDelivered) return conversations.save({ ...conversation, told: true });
    const timer = setTimeout(() => {
      retryTimers.delete(timer);
      void attempt(conversation, Math.min(2 * retryDelayMs, RETRY_DELAY_MS_MAX));
    }, retryDelayMs);
    retryTimers.add(timer);
  };
  const notify = (conversation: Conversation) => void attempt(conversation, FIRST_RETRY_DELAY_MS);
  for (const one of conversations.list()) if (one.state !== 'signed' && !one.told) notify(one);
  return {
    notify,
    close: () => {
      isClosed = true;
      for (const timer of retryTimers) clearTimeout(timer);
    },
  };
}

/** Sends one request. @returns whether the receiver responded with status 200, which ElevenLabs requires */
async function post(conversation: Conversation, { webhookUrl, webhookSecret }: RehearsalSettings): Promise<boolean> {
  const body = JSON.stringify(eventJson(conversation, Date.now()));
  const seconds = Math.floor(Date.now() / 1_000);
  const digest = createHmac('sha256', webhookSecret).update(`${seconds}.${body}`).digest('hex');
  try {
    const { status } = await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'elevenlabs-signature': `t=${seconds},v0=${digest}` },
      body,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (status !== 200)
      console.error(
        `The voice webhook ${webhookUrl} responded with status ${status} for ${conversation.id}. The rehearsal agent retries.`,
      );
    return status === 200;
  } catch {
    // The API is not available, for example because it is still starting.
    return false;
  }
}
