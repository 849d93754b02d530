import * as z from 'zod/mini';
import { opaqueString } from '../../http/schemas.ts';
import type { TranscriptTurn } from '../call.ts';
import type { EndedConversation } from '../voice-provider.ts';

/** No conversation lasts a day: a number above is no time in one. */
const SECONDS_MAX = 86_400;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/**
 * What we read of a conversation of ElevenLabs': the answer of `GET /v1/convai/conversations/{id}` and the `data` of a
 * `post_call_transcription` event are the same. Members that we can do without never fail it.
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

/** A conversation as ours, whatever its status; undefined when it can't be read. @param data the provider's JSON, parsed */
export function parseConversation(data: unknown): EndedConversation | undefined {
  const read = ConversationData.safeParse(data);
  return read.success ? toEndedConversation(read.data) : undefined;
}

export const toEndedConversation = (read: ConversationData): EndedConversation => ({
  conversationId: read.conversation_id,
  ...parseTurns(read.transcript),
  durationSeconds: parseDuration(read.metadata?.call_duration_secs),
  hasAudio: read.has_audio,
});

/**
 * What the two said, in the order given: calls of tools have no message and go. Turns are looked at by hand, as there
 * may be so many that a schema for each would take most of a webhook's time. An agent's turn says whether the user cut
 * it short (`interrupted`), since some version of the provider's.
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

/** Without what no text holds; empty for white space alone. Surrogates go first: a NUL may stand between two halves. */
function parseMessage(message: unknown): string {
  if (typeof message !== 'string') return '';
  const text = (message.isWellFormed() ? message : message.replace(LONE_SURROGATES, '')).replaceAll('\0', '');
  return text.trim() === '' ? '' : text;
}

const parseSeconds = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= SECONDS_MAX ? value : undefined;

function parseDuration(value: unknown): number | null {
  const seconds = parseSeconds(value);
  return seconds === undefined ? null : Math.max(0, Math.round(seconds));
}
