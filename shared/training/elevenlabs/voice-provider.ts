import * as z from 'zod/mini';
import { type ConversationState, type VoiceProvider, VoiceProviderError } from '../voice-provider.ts';
import { newAgent } from './agent.ts';
import { parseConversation } from './conversation.ts';
import { deleteConversationWith } from './delete-conversation.ts';
import {
  createElevenLabsClient,
  type HttpSettings,
  readJson,
  type SendRequest,
  toResponseError,
} from './http-client.ts';
import { fetchRecording } from './recording.ts';

type Settings = HttpSettings & {
  /** How long an answer may take in milliseconds; those of a deployment where absent. */
  timeouts?: Partial<typeof TIMEOUTS_MS>;
};

const TIMEOUTS_MS = {
  /** A trainee waits: both attempts together. */
  session: 5_000,
  conversation: 20_000,
  /** To the first byte, and then from one to the next. */
  recording: 20_000,
  agent: 15_000,
};
const RETRY_AFTER_MS = 200;

const SMALL_BYTES_MAX = 64 * 1024;
/** What a webhook may hold, with room for the measurements that the provider adds to each turn. */
const CONVERSATION_BYTES_MAX = 16 * 1024 * 1024;

const Session = z.object({
  signed_url: z.string().check(z.maxLength(8_192), z.regex(/^wss?:\/\//)),
  conversation_id: z.string().check(z.minLength(1), z.maxLength(200)),
});
const Agent = z.object({ agent_id: z.string().check(z.minLength(1), z.maxLength(200)) });
const Status = z.object({ status: z.enum(['initiated', 'in-progress', 'processing', 'done', 'failed']) });

/**
 * ElevenLabs' agents (https://elevenlabs.io/docs/api-reference/conversations). What it answers is bounded in time and
 * bytes, redirects are refused, and no failure holds the key or what somebody said.
 */
export function createElevenLabsVoiceProvider({ timeouts, ...http }: Settings): VoiceProvider {
  const ask = createElevenLabsClient(http);
  const limits = { ...TIMEOUTS_MS, ...timeouts };
  return {
    openSession: async (agentId) => {
      const path = `conversation/get-signed-url?${new URLSearchParams({ agent_id: agentId, include_conversation_id: 'true' })}`;
      const signal = AbortSignal.timeout(limits.session);
      const answer = await sendWithRetry(() => ask({ path, signal }), signal);
      const { signed_url: token, conversation_id: conversationId } = await readJson(answer, Session, SMALL_BYTES_MAX);
      return { token, conversationId };
    },
    conversation: async (id) => {
      const answer = await ask({ path: pathOf(id), signal: AbortSignal.timeout(limits.conversation) });
      if (answer.status !== 404)
        return parseConversationState(await readJson(answer, z.unknown(), CONVERSATION_BYTES_MAX));
      await answer.body?.cancel();
      return { state: 'unknown' };
    },
    recording: (id) => fetchRecording(ask, `${pathOf(id)}/audio`, limits.recording),
    deleteConversation: deleteConversationWith(ask, limits.conversation),
    createAgent: async (persona) => {
      const request = { path: 'agents/create', body: newAgent(persona), signal: AbortSignal.timeout(limits.agent) };
      return (await readJson(await ask(request), Agent, SMALL_BYTES_MAX)).agent_id;
    },
  };
}

/** For the trainee. */
const NOT_HELD =
  'The conversation failed at the voice provider before the trainee said anything. Open a new session to try again.';

const pathOf = (conversationId: string): string => `conversations/${encodeURIComponent(conversationId)}`;

/** Asking for a signed URL twice only leaves one unused. */
async function sendWithRetry(ask: () => ReturnType<SendRequest>, signal: AbortSignal): ReturnType<SendRequest> {
  try {
    const answer = await ask();
    if (answer.status < 500 && answer.status !== 429) return answer;
    throw await toResponseError(answer);
  } catch (error) {
    if (!(error instanceof VoiceProviderError) || signal.aborted) throw error;
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
  return ask();
}

/** @throws VoiceFailure for what is no conversation */
function parseConversationState(data: unknown): ConversationState {
  const parsed = Status.safeParse(data);
  if (!parsed.success) throw new VoiceProviderError('The voice provider answered something other than a conversation.');
  const { status } = parsed.data;
  if (status !== 'done' && status !== 'failed') return { state: 'going' };
  const conversation = parseConversation(data);
  // What broke off in its middle is a conversation all the same.
  if (conversation !== undefined && (status === 'done' || conversation.turns.some(({ role }) => role === 'user'))) {
    return { state: 'ended', conversation };
  }
  if (status === 'failed') return { state: 'failed', reason: NOT_HELD };
  throw new VoiceProviderError('The voice provider answered a conversation that can not be read.');
}
