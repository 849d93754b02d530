import * as z from 'zod/mini';
import { opaqueString } from '../../http/schemas.ts';
import type { TranscriptTurn } from '../call.ts';
import type { EndedConversation } from '../ports.ts';

/** The failure reason that the trainee reads. */
export const FAILED_EARLY =
  'The call failed at the voice provider before the trainee said anything. Open a new session to try again.';

/** Larger numbers are not accepted as times in a conversation, because no conversation lasts a day. */
const SECONDS_MAX = 86_400;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/**
 * A conversation of ElevenLabs, as in `GET /v1/convai/conversations/{id}` and in the `data` of a
 * `post_call_transcription` event. Invalid optional properties are dropped.
 */
export const ConversationData = z.object({
  conversation_id: opaqueString(1, 200),
  agent_id: z.catch(z.optional(z.string()), undefined),
  status: z.catch(z.optional(z.string()), undefined),
  transcript: z.array(z.unknown()),
  metadata: z.catch(z.optional(z.object({ call_duration_secs: z.unknown() })), undefined),
  has_audio: z.catch(z.nullable(z.boolean()), null),
});
export type ConversationData = z.output<typeof ConversationData>;

/** Ignores the status. Returns undefined for invalid data. */
export function parseConversation(data: unknown): EndedConversation | undefined {
  const parsed = ConversationData.safeParse(data);
  return parsed.success ? toEndedConversation(parsed.data) : undefined;
}

export const toEndedConversation = (data: ConversationData): EndedConversation => ({
  conversationId: data.conversation_id,
  ...parseTurns(data.transcript),
  durationSeconds: parseDuration(data.metadata?.call_duration_secs),
  hasAudio: data.has_audio,
});

/** Whether the trainee said anything. If so, the conversation is analysed even if it failed later. */
export const hasTraineeTurn = ({ turns }: EndedConversation): boolean => turns.some(({ role }) => role === 'user');

/**
 * Returns the turns with a message, in their order. Tool calls have no message. Parses without a schema, because a
 * schema would take most of a webhook's time for thousands of turns. In newer versions of the API, an agent's turn
 * contains `interrupted`, which states whether the user interrupted the agent.
 */
function parseTurns(transcript: readonly unknown[]): Pick<EndedConversation, 'turns' | 'interruptions'> {
  const turns: TranscriptTurn[] = [];
  let interruptions: number | null = null;
  let timeInCallSecs = 0;
  for (const turn of transcript) {
    if (!isObject(turn)) continue;
    const { role, interrupted } = turn;
    const message = parseMessage(turn.message);
    if ((role !== 'user' && role !== 'agent') || message === '') continue;
    timeInCallSecs = Math.max(timeInCallSecs, parseSeconds(turn.time_in_call_secs) ?? 0);
    turns.push({ role, message, timeInCallSecs });
    if (role === 'agent' && typeof interrupted === 'boolean')
      interruptions = (interruptions ?? 0) + Number(interrupted);
  }
  return { turns, interruptions };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Returns an empty text for white space only. Removes lone surrogates before NULs: without the NUL between them, two
 * lone surrogates could form a character.
 */
function parseMessage(message: unknown): string {
  if (typeof message !== 'string') return '';
  const text = (message.isWellFormed() ? message : message.replace(LONE_SURROGATES, '')).replaceAll('\0', '');
  return text.trim() === '' ? '' : text;
}

const parseSeconds = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= SECONDS_MAX ? value : undefined;

function parseDuration(value: unknown): number | null {
  const seconds = parseSeconds(value);
  // `Math.max` replaces -0, so that the value is the same after it was stored as JSON.
  return seconds === undefined ? null : Math.max(0, Math.round(seconds));
}
