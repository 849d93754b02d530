import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { CallIds } from './call.ts';
import { ANALYSIS_TIMEOUT_MS } from './call-schedule.ts';
import { parseVoiceEvent, type VoiceEvent, type VoiceEventBody } from './elevenlabs/events.ts';
import type { CallRepository, InvokeProcessCall, TransitionOutcome } from './ports.ts';
import { encodeTranscript, storeTranscript, type TranscriptStore } from './transcripts.ts';

export type VoiceEventPorts = {
  calls: Pick<CallRepository, 'findIdsByConversation' | 'find' | 'startProcessing' | 'failToStart'>;
  transcripts: Pick<TranscriptStore, 'put'>;
  invokeProcessCall: InvokeProcessCall;
  clock: Clock;
};

type Received = Exclude<VoiceEvent, { kind: 'ignored' }>;

/**
 * Keeps what an event of the voice provider says of its call, which is found by the stored conversation alone. What it
 * changes is one conditional write: before it nothing is done, also when it fails, and after it nothing can be lost.
 *
 * @throws Problem 400 for an event of a known type that can't be read, 503 while calls can't be stored
 */
export async function handleVoiceEvent(ports: VoiceEventPorts, body: VoiceEventBody, log: Logger): Promise<void> {
  const event = parseVoiceEvent(body);
  if (event.kind === 'ignored') return log.recordMetric(event.metric);
  // The provider waits, and nearly every conversation is known.
  const [found, change] = await Promise.all([
    ports.calls.findIdsByConversation(conversationOf(event)),
    prepareTransition(ports, event, log),
  ]);
  if (found === undefined) return log.recordMetric('VoiceConversationsUnknown');
  const { agentId, ...ids } = found;
  // It is signed, and the provider can pass a conversation on to another agent: counted, and no reason to lose a call.
  if (differ(agentId, event.agentId)) log.recordMetric('VoiceAgentsOther');
  const changed = await change(ids);
  if (changed === 'stale') log.recordMetric('VoiceEventsRepeated');
  if (event.kind === 'ended') await start(ports, ids, changed, log);
}

const differ = (a: string | undefined, b: string | undefined): boolean => a !== undefined && b !== undefined && a !== b;

const conversationOf = (event: Received): string =>
  event.kind === 'ended' ? event.conversation.conversationId : event.conversationId;

/** What an event changes of its call, ready as far as it can be before it is known which one that is. */
async function prepareTransition(
  { calls, transcripts, clock }: VoiceEventPorts,
  event: Received,
  log: Logger,
): Promise<(ids: CallIds) => Promise<TransitionOutcome>> {
  if (event.kind !== 'ended') return (ids) => calls.failToStart(ids, event.reason);
  const { turns, durationSeconds, interruptions, hasAudio } = event.conversation;
  const packed = await encodeTranscript(turns, log);
  return async (ids) => {
    const transcript = await storeTranscript(transcripts, ids, packed);
    const kept = { transcript, durationSeconds, interruptions, hasAudio };
    return calls.startProcessing(ids, kept, clock.now() + ANALYSIS_TIMEOUT_MS);
  };
}

/**
 * The call is safe by now: the provider need not send its event again when this fails, the sweeper will do it. A write
 * whose answer was lost is stale when it is repeated, by the SDK or by the provider, and whoever made it may have started
 * nothing: what is not analysed yet is started once more, which is harmless.
 */
async function start(
  { calls, invokeProcessCall: startAnalysis }: VoiceEventPorts,
  ids: CallIds,
  begun: TransitionOutcome,
  log: Logger,
): Promise<void> {
  try {
    if (begun !== 'applied' && (await calls.find(ids))?.status !== 'processing') return;
    await startAnalysis(ids);
    // What sweepers do for the call later is found by its id alone.
    log.info('the analysis of a call is started', ids);
  } catch (error) {
    log.error('the analysis of a call could not be started; the sweeper will start it', error, ids);
    log.recordMetric('VoiceAnalysesNotStarted');
  }
}
