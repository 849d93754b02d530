import { createHmac, randomUUID } from 'node:crypto';
import { createHandler } from '../../../functions/training/voice-webhook/handler.ts';
import { voiceWebhookOperation } from '../../../functions/training/voice-webhook/operation.ts';
import type { SecretStore } from '../../../shared/platform/secret-store.ts';
import type { CallIds } from '../../../shared/training/call.ts';
import { createVoiceWebhookVerifier } from '../../../shared/training/elevenlabs/voice-webhook-verifier.ts';
import type { VoiceEventPorts } from '../../../shared/training/handle-voice-event.ts';
import { type Answer, caller } from '../http.ts';
import { aCall, createMemoryCalls, type MemoryCall, NOON } from './calls.ts';

export const SECRET = 'wsec_test';

export function signatureOf(body: string | Buffer, { atMs = NOON, secret = SECRET } = {}): Record<string, string> {
  const time = Math.floor(atMs / 1_000);
  const hash = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
  return { 'ElevenLabs-Signature': `t=${time},v0=${hash}` };
}

export const aTurn = (overrides: Record<string, unknown> = {}) => ({
  role: 'user',
  message: 'What do you need?',
  time_in_call_secs: 3,
  tool_calls: [],
  ...overrides,
});

/** A conversation in the provider's format. */
export const aConversationOf = (conversationId: string, overrides: Record<string, unknown> = {}) => ({
  agent_id: 'agent',
  conversation_id: conversationId,
  status: 'done',
  user_id: null,
  transcript: [aTurn({ role: 'agent', message: 'That is too expensive.', time_in_call_secs: 0 }), aTurn()],
  metadata: { start_time_unix_secs: NOON / 1_000, call_duration_secs: 60, cost: 296 },
  analysis: { call_successful: 'success', transcript_summary: 'They talked.' },
  has_audio: true,
  ...overrides,
});

const anEvent = (type: string, data: unknown) => ({ type, event_timestamp: NOON / 1_000, data });

export const transcription = (conversationId: string, overrides: Record<string, unknown> = {}) =>
  anEvent('post_call_transcription', aConversationOf(conversationId, overrides));

export const initiationFailure = (conversationId: string, failure_reason: unknown = 'busy') =>
  anEvent('call_initiation_failure', { agent_id: 'agent', conversation_id: conversationId, failure_reason });

export const audio = (conversationId: string) =>
  anEvent('post_call_audio', { agent_id: 'agent', conversation_id: conversationId, full_audio: 'SUQzBAA=' });

export const unknownType = (conversationId: string) =>
  anEvent('post_call_weather', { conversation_id: conversationId });

type World = { ports?: Partial<VoiceEventPorts>; secrets?: SecretStore };

/** Sets up the voice webhook with calls and transcripts in memory. */
export function setUpWebhook({ ports = {}, secrets = { read: async () => SECRET } }: World = {}) {
  const clock = { ms: NOON, now: () => clock.ms };
  const calls = createMemoryCalls(clock);
  const objects = new Map<string, Uint8Array>();
  const invoked: CallIds[] = [];
  const handler = createHandler({
    verifySignature: createVoiceWebhookVerifier({ secrets, secretId: () => 'voice-webhook', clock }),
    calls,
    transcripts: { put: async (key, compressed) => void objects.set(key, compressed) },
    invokeProcessCall: async (ids) => void invoked.push(ids),
    clock,
    ...ports,
  });
  const call = caller(voiceWebhookOperation, handler);
  return {
    clock,
    calls,
    objects,
    invoked,
    handler,
    call,
    aCall: (overrides: Partial<MemoryCall> = {}) => calls.add(aCall(overrides)),
    at: ({ callId }: CallIds) => calls.stored.get(callId),
    /** Sends an event with a signature that is valid now. A string is sent unchanged. */
    post: (event: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
      const body = typeof event === 'string' ? event : JSON.stringify(event);
      return call({ body, headers: { ...signatureOf(body, { atMs: clock.ms }), ...headers } });
    },
  };
}

export const aConversationId = (): string => `conv_${randomUUID()}`;
