import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { CallIds } from './call.ts';
import { ANALYSIS_TIMEOUT_MS } from './call-schedule.ts';
import type {
  CallRepository,
  ConversationEvent,
  EndedConversation,
  ProcessCallInvoker,
  TranscriptStore,
  TransitionOutcome,
} from './ports.ts';
import { type EncodedTranscript, encodeTranscript, storeTranscriptIfLarge } from './transcripts.ts';

export type VoiceEventPorts = {
  calls: Pick<CallRepository, 'findIdsByConversation' | 'find' | 'moveToProcessing' | 'failPending'>;
  transcripts: Pick<TranscriptStore, 'put'>;
  invokeProcessCall: ProcessCallInvoker;
  clock: Clock;
};

/**
 * Applies an event of the voice provider to the call with the event's conversation id. One conditional write commits
 * the event.
 *
 * @throws UnavailableError while calls or transcripts can't be read or stored
 */
export async function handleVoiceEvent(ports: VoiceEventPorts, event: ConversationEvent, log: Logger): Promise<void> {
  if (event.kind === 'ignored') return log.recordMetric(event.metric);
  // The transcript is encoded while the call is looked up, because the provider waits for the response. This work is
  // seldom wasted, because nearly every conversation belongs to a call.
  const [found, encoded] = await Promise.all([
    ports.calls.findIdsByConversation(conversationIdOf(event)),
    encodeEvent(event, log),
  ]);
  if (found === undefined) return log.recordMetric('VoiceConversationsUnknown');
  const { agentId, ...ids } = found;
  // The provider can transfer a conversation to another agent. An event with a different agent is therefore counted,
  // but not rejected.
  if (agentId !== undefined && event.agentId !== undefined && agentId !== event.agentId) {
    log.recordMetric('VoiceAgentMismatches');
  }
  const outcome = await writeTransition(ports, ids, encoded);
  if (outcome === 'conflict') log.recordMetric('VoiceEventsStale');
  if (event.kind === 'ended') await startAnalysis(ports, ids, outcome, log);
}

type CallEvent = Exclude<ConversationEvent, { kind: 'ignored' }>;

const conversationIdOf = (event: CallEvent): string =>
  event.kind === 'ended' ? event.conversation.conversationId : event.conversationId;

type EncodedEvent =
  | { kind: 'ended'; conversation: EndedConversation; transcript: EncodedTranscript }
  | Extract<ConversationEvent, { kind: 'failed' }>;

async function encodeEvent(event: CallEvent, log: Logger): Promise<EncodedEvent> {
  if (event.kind === 'failed') return event;
  const { conversation } = event;
  return { kind: 'ended', conversation, transcript: await encodeTranscript(conversation.turns, log) };
}

async function writeTransition(
  { calls, transcripts, clock }: VoiceEventPorts,
  ids: CallIds,
  event: EncodedEvent,
): Promise<TransitionOutcome> {
  if (event.kind === 'failed') return calls.failPending(ids, event.reason);
  const { durationSeconds, interruptions, hasAudio } = event.conversation;
  const transcript = await storeTranscriptIfLarge(transcripts, ids, event.transcript);
  const conversation = { transcript, durationSeconds, interruptions, hasAudio };
  return calls.moveToProcessing(ids, conversation, clock.now() + ANALYSIS_TIMEOUT_MS);
}

/**
 * Never throws: if the start fails, the sweeper starts the analysis later. If the transition is `conflict` but the call
 * is `processing`, another function has moved the call and may have failed before it started the analysis. Starting an
 * analysis twice is harmless.
 */
async function startAnalysis(
  { calls, invokeProcessCall }: VoiceEventPorts,
  ids: CallIds,
  transition: TransitionOutcome,
  log: Logger,
): Promise<void> {
  try {
    if (transition === 'conflict' && (await calls.find(ids))?.status !== 'processing') return;
    await invokeProcessCall(ids);
    // This line connects the ids of request and call. The log lines of the sweeper have only the call's id.
    log.info('The analysis of a call was started.', ids);
  } catch (error) {
    log.error('The analysis of a call could not be started. If it is still needed, the sweeper starts it.', error, ids);
    log.recordMetric('VoiceAnalysesNotStarted');
  }
}
