import * as z from 'zod/mini';
import { newAgent } from './elevenlabs-agent.ts';
import { endedConversation } from './elevenlabs-conversation.ts';
import { forgetting } from './elevenlabs-forget.ts';
import { type Ask, elevenLabsHttp, type HttpSettings, jsonOf, refusal } from './elevenlabs-http.ts';
import { recordingOf } from './elevenlabs-recording.ts';
import { type ConversationState, VoiceFailure, type VoiceProvider } from './voice-provider.ts';

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
export function elevenLabs({ timeouts, ...http }: Settings): VoiceProvider {
  const ask = elevenLabsHttp(http);
  const limits = { ...TIMEOUTS_MS, ...timeouts };
  return {
    openSession: async (agentId) => {
      const path = `conversation/get-signed-url?${new URLSearchParams({ agent_id: agentId, include_conversation_id: 'true' })}`;
      const signal = AbortSignal.timeout(limits.session);
      const answer = await askedTwice(() => ask({ path, signal }), signal);
      const { signed_url: token, conversation_id: conversationId } = await jsonOf(answer, Session, SMALL_BYTES_MAX);
      return { token, conversationId };
    },
    conversation: async (id) => {
      const answer = await ask({ path: pathOf(id), signal: AbortSignal.timeout(limits.conversation) });
      if (answer.status !== 404) return stateIn(await jsonOf(answer, z.unknown(), CONVERSATION_BYTES_MAX));
      await answer.body?.cancel();
      return { state: 'unknown' };
    },
    recording: (id) => recordingOf(ask, `${pathOf(id)}/audio`, limits.recording),
    forget: forgetting(ask, limits.conversation),
    createAgent: async (persona) => {
      const request = { path: 'agents/create', body: newAgent(persona), signal: AbortSignal.timeout(limits.agent) };
      return (await jsonOf(await ask(request), Agent, SMALL_BYTES_MAX)).agent_id;
    },
  };
}

/** For the trainee. */
const NOT_HELD =
  'The conversation failed at the voice provider before the trainee said anything. Open a new session to try again.';

const pathOf = (conversationId: string): string => `conversations/${encodeURIComponent(conversationId)}`;

/** Asking for a signed URL twice only leaves one unused. */
async function askedTwice(ask: () => ReturnType<Ask>, signal: AbortSignal): ReturnType<Ask> {
  try {
    const answer = await ask();
    if (answer.status < 500 && answer.status !== 429) return answer;
    throw await refusal(answer);
  } catch (error) {
    if (!(error instanceof VoiceFailure) || signal.aborted) throw error;
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
  return ask();
}

/** @throws VoiceFailure for what is no conversation */
function stateIn(data: unknown): ConversationState {
  const parsed = Status.safeParse(data);
  if (!parsed.success) throw new VoiceFailure('The voice provider answered something other than a conversation.');
  const { status } = parsed.data;
  if (status !== 'done' && status !== 'failed') return { state: 'going' };
  const conversation = endedConversation(data);
  // What broke off in its middle is a conversation all the same.
  if (conversation !== undefined && (status === 'done' || conversation.turns.some(({ role }) => role === 'user'))) {
    return { state: 'ended', conversation };
  }
  if (status === 'failed') return { state: 'failed', reason: NOT_HELD };
  throw new VoiceFailure('The voice provider answered a conversation that can not be read.');
}
