import * as z from 'zod/mini';
import type { SecretStore } from '../../platform/secret-store.ts';
import type { ConversationState, VoiceProvider } from '../ports.ts';
import { VoiceProviderError } from '../voice-provider-errors.ts';
import { toAgentRequest } from './agent.ts';
import { FAILED_EARLY, hasTraineeTurn, parseConversation } from './conversation.ts';
import { createDeleteConversation } from './delete-conversation.ts';
import {
  createElevenLabsClient,
  type ElevenLabsSettings,
  readJson,
  type SendRequest,
  toResponseError,
} from './http-client.ts';
import { fetchRecording } from './recording.ts';
import { createElevenLabsSettings } from './settings.ts';

type Settings = ElevenLabsSettings & {
  /** In milliseconds. Absent time limits default to `TIMEOUTS_MS`. */
  timeouts?: Partial<typeof TIMEOUTS_MS>;
};

const TIMEOUTS_MS = {
  /** For the request and its retry together. Short, because a trainee waits. */
  session: 5_000,
  conversation: 20_000,
  /** Until the first byte, and from one chunk to the next. */
  recording: 20_000,
  agent: 15_000,
};
const RETRY_DELAY_MS = 200;

const SMALL_RESPONSE_BYTES_MAX = 64 * 1024;
/**
 * Larger than the limit of webhook events (5 MB), because conversations above that limit are read from the provider.
 * Its responses also contain measurements of each turn.
 */
const CONVERSATION_BYTES_MAX = 16 * 1024 * 1024;

const Session = z.object({
  signed_url: z.string().check(z.maxLength(8_192), z.regex(/^wss?:\/\//)),
  conversation_id: z.string().check(z.minLength(1), z.maxLength(200)),
});
const Agent = z.object({ agent_id: z.string().check(z.minLength(1), z.maxLength(200)) });
const Status = z.object({ status: z.enum(['initiated', 'in-progress', 'processing', 'done', 'failed']) });

export const createVoiceProvider = (secrets: SecretStore): VoiceProvider =>
  createElevenLabsVoiceProvider(createElevenLabsSettings(secrets));

/**
 * The agents API of ElevenLabs (https://elevenlabs.io/docs/api-reference/conversations). Responses are limited in time
 * and size, redirects are rejected, and no error message contains the API key or a part of a conversation.
 */
export function createElevenLabsVoiceProvider({ timeouts, ...settings }: Settings): VoiceProvider {
  const send = createElevenLabsClient(settings);
  const timeoutsMs = { ...TIMEOUTS_MS, ...timeouts };
  return {
    openVoiceSession: async (agentId) => {
      const query = new URLSearchParams({ agent_id: agentId, include_conversation_id: 'true' });
      const signal = AbortSignal.timeout(timeoutsMs.session);
      const path = `conversation/get-signed-url?${query}`;
      const response = await sendWithRetry(() => send({ path, signal }), signal);
      const session = await readJson(response, Session, SMALL_RESPONSE_BYTES_MAX);
      return { signedUrl: session.signed_url, conversationId: session.conversation_id };
    },
    readConversation: async (id) => {
      const response = await send({ path: pathOf(id), signal: AbortSignal.timeout(timeoutsMs.conversation) });
      if (response.status !== 404) {
        return parseConversationState(id, await readJson(response, z.unknown(), CONVERSATION_BYTES_MAX));
      }
      await response.body?.cancel();
      return { state: 'unknown' };
    },
    fetchRecording: (id) => fetchRecording(send, `${pathOf(id)}/audio`, timeoutsMs.recording),
    deleteConversation: createDeleteConversation(send, timeoutsMs.conversation),
    createAgent: async (persona) => {
      const signal = AbortSignal.timeout(timeoutsMs.agent);
      const response = await send({ path: 'agents/create', body: toAgentRequest(persona), signal });
      return (await readJson(response, Agent, SMALL_RESPONSE_BYTES_MAX)).agent_id;
    },
  };
}

const pathOf = (conversationId: string): string => `conversations/${encodeURIComponent(conversationId)}`;

/**
 * Retries once after a VoiceProviderError of `send`, a 429 or a 5xx, unless `signal` is aborted. The retry can create a
 * second signed URL for the session. This is harmless, because the first URL stays unused.
 */
async function sendWithRetry(send: () => ReturnType<SendRequest>, signal: AbortSignal): ReturnType<SendRequest> {
  try {
    const response = await send();
    if (response.status < 500 && response.status !== 429) return response;
    throw await toResponseError(response);
  } catch (error) {
    if (!(error instanceof VoiceProviderError) || signal.aborted) throw error;
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  return send();
}

/** @throws VoiceProviderError for data that is not a conversation */
function parseConversationState(id: string, data: unknown): ConversationState {
  const parsed = Status.safeParse(data);
  if (!parsed.success) {
    throw new VoiceProviderError(
      `The response of the voice provider for ${id} is not a conversation: it has no documented status.`,
    );
  }
  const { status } = parsed.data;
  if (status !== 'done' && status !== 'failed') return { state: 'in-progress' };
  const conversation = parseConversation(data);
  if (conversation !== undefined && (status === 'done' || hasTraineeTurn(conversation))) {
    return { state: 'ended', conversation };
  }
  if (status === 'failed') return { state: 'failed', reason: FAILED_EARLY };
  throw new VoiceProviderError(
    `The conversation ${id} of the voice provider cannot be parsed: conversation_id or transcript is missing or invalid.`,
  );
}
