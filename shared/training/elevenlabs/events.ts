import * as z from 'zod/mini';
import { parseOrBadRequest } from '../../http/middleware/request-validation.ts';
import { docText, withDocs } from '../../http/schema-docs.ts';
import { opaqueString } from '../../http/schemas.ts';
import type { ConversationEvent } from '../ports.ts';
import { ConversationData, FAILED_EARLY, hasTraineeTurn, toEndedConversation } from './conversation.ts';

/** The envelope of all events of ElevenLabs (https://elevenlabs.io/docs/eleven-agents/workflows/post-call-webhooks). */
export const VoiceEventBody = withDocs(
  z.object({
    type: withDocs(
      opaqueString(1, 200),
      docText('Only `post_call_transcription` and `call_initiation_failure` are processed. Other types are ignored.'),
    ),
    data: withDocs(
      z.optional(z.unknown()),
      docText('Data in the format of the provider. Properties that are not needed are ignored.'),
    ),
  }),
  { id: 'VoiceEvent' },
);
export type VoiceEventBody = z.output<typeof VoiceEventBody>;

const InitiationFailure = z.object({
  conversation_id: opaqueString(1, 200),
  agent_id: z.catch(z.optional(z.string()), undefined),
  failure_reason: z.unknown(),
});

const TRY_AGAIN = 'Open a new session to try again.';
const REASONS = new Map<unknown, string>([
  ['busy', `The line was busy, so the call could not start. ${TRY_AGAIN}`],
  ['no-answer', `The call was not answered, so it could not start. ${TRY_AGAIN}`],
]);
const NOT_STARTED = `The voice provider could not start the call. ${TRY_AGAIN}`;

/** @throws HttpError 400 with the path of invalid data. The data of ignored types of events is not validated. */
export function parseVoiceEvent({ type, data }: VoiceEventBody): ConversationEvent {
  if (type === 'post_call_transcription') {
    return toTranscriptionEvent(parseOrBadRequest(ConversationData, data, 'body.data'));
  }
  if (type === 'call_initiation_failure') {
    const { conversation_id, agent_id, failure_reason } = parseOrBadRequest(InitiationFailure, data, 'body.data');
    const reason = REASONS.get(failure_reason) ?? NOT_STARTED;
    return { kind: 'failed', agentId: agent_id, conversationId: conversation_id, reason };
  }
  return { kind: 'ignored', metric: type === 'post_call_audio' ? 'VoiceAudioEvents' : 'VoiceEventsOfUnknownType' };
}

const IN_PROGRESS: ReadonlySet<string | undefined> = new Set(['initiated', 'in-progress', 'processing']);

/**
 * The documented statuses are initiated, in-progress, processing, done and failed. A conversation in progress is
 * ignored, because the sweeper reads it later. An absent or unknown status is treated as done, because the event says
 * that the call has ended. (Without an event, `parseConversationState` in `voice-provider.ts` requires a documented
 * status.)
 */
function toTranscriptionEvent(data: ConversationData): ConversationEvent {
  if (IN_PROGRESS.has(data.status)) return { kind: 'ignored', metric: 'VoiceConversationsInProgress' };
  const conversation = toEndedConversation(data);
  const { agent_id: agentId, conversation_id: conversationId } = data;
  if (data.status !== 'failed' || hasTraineeTurn(conversation)) return { kind: 'ended', agentId, conversation };
  return { kind: 'failed', agentId, conversationId, reason: FAILED_EARLY };
}
