import * as z from 'zod/mini';
import { parseOrBadRequest } from '../../http/middleware/request-validation.ts';
import { docText, withDocs } from '../../http/schema-docs.ts';
import { opaqueString } from '../../http/schemas.ts';
import type { EndedConversation } from '../voice-provider.ts';
import { ConversationData, toEndedConversation } from './conversation.ts';

/** The frame of each event that ElevenLabs sends (https://elevenlabs.io/docs/eleven-agents/workflows/post-call-webhooks). */
export const VoiceEventBody = withDocs(
  z.object({
    type: withDocs(
      opaqueString(1, 200),
      docText('`post_call_transcription` and `call_initiation_failure` are read; others are acknowledged and ignored.'),
    ),
    data: withDocs(z.optional(z.unknown()), docText("The provider's own; members that are not needed are ignored.")),
  }),
  { id: 'VoiceEvent' },
);
export type VoiceEventBody = z.output<typeof VoiceEventBody>;

const InitiationFailure = z.object({
  conversation_id: opaqueString(1, 200),
  agent_id: z.catch(z.optional(z.string()), undefined),
  failure_reason: z.unknown(),
});

/** What an event means for its call. */
export type VoiceEvent =
  | { kind: 'ended'; agentId: string | undefined; conversation: EndedConversation }
  | { kind: 'not-held'; agentId: string | undefined; conversationId: string; reason: string }
  | { kind: 'ignored'; metric: string };

const AGAIN = 'Open a new session to try again.';
const REASONS = new Map<unknown, string>([
  ['busy', `The line was busy, so the call could not start. ${AGAIN}`],
  ['no-answer', `Nobody answered, so the call could not start. ${AGAIN}`],
]);
const NOT_STARTED = `The voice provider could not start the call. ${AGAIN}`;
const BROKEN_OFF = `The voice provider broke the call off before the trainee said anything. ${AGAIN}`;

/** @throws Problem 400 naming the path of what can't be read in an event of a known type */
export function parseVoiceEvent({ type, data }: VoiceEventBody): VoiceEvent {
  if (type === 'post_call_transcription')
    return parseTranscription(parseOrBadRequest(ConversationData, data, 'body.data'));
  if (type === 'call_initiation_failure') {
    const { conversation_id, agent_id, failure_reason } = parseOrBadRequest(InitiationFailure, data, 'body.data');
    const reason = REASONS.get(failure_reason) ?? NOT_STARTED;
    return { kind: 'not-held', agentId: agent_id, conversationId: conversation_id, reason };
  }
  return { kind: 'ignored', metric: type === 'post_call_audio' ? 'VoiceAudioEvents' : 'VoiceEventsOfUnknownType' };
}

const GOING: ReadonlySet<string | undefined> = new Set(['initiated', 'in-progress', 'processing']);

/**
 * By the conversation's documented statuses (initiated, in-progress, processing, done, failed). What goes on is not
 * taken for whole: the provider is asked later. What failed after the trainee had said something is a conversation all
 * the same; what failed before could not be held. An absent or new status counts as done, as the event says that it is.
 */
function parseTranscription(data: ConversationData): VoiceEvent {
  if (GOING.has(data.status)) return { kind: 'ignored', metric: 'VoiceConversationsGoing' };
  const conversation = toEndedConversation(data);
  const { agent_id: agentId, conversation_id: conversationId } = data;
  if (data.status !== 'failed' || conversation.turns.some(({ role }) => role === 'user')) {
    return { kind: 'ended', agentId, conversation };
  }
  return { kind: 'not-held', agentId, conversationId, reason: BROKEN_OFF };
}
