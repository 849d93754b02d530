import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { sweep } from '../platform/sweeper.ts';
import type { CallIds } from './call.ts';
import * as schedule from './call-schedule.ts';
import type { CallRecord, CallRepository, InvokeProcessCall, TransitionOutcome } from './ports.ts';
import { encodeTranscript, storeTranscript, type TranscriptStore } from './transcripts.ts';
import type { ConversationState, VoiceProvider } from './voice-provider.ts';

export type CallSweepPorts = {
  calls: Omit<CallRepository, 'findIdsByConversation' | 'complete'>;
  transcripts: Pick<TranscriptStore, 'put'>;
  voice: Pick<VoiceProvider, 'conversation'>;
  invokeProcessCall: InvokeProcessCall;
  clock: Clock;
  log: Logger;
};

/** What came of a call that was due. */
export type CallSweepOutcome =
  /** Pending: its conversation is over, could not start, is waited for, or is given up. */
  | 'begun'
  | 'refused'
  | 'waiting'
  | 'abandoned'
  /** Processing: its analysis was started again, or has failed. */
  | 'restarted'
  | 'failed'
  /** Ready: its recording is tried again, or was given up. */
  | 'recording_retried'
  | 'recording_given_up'
  /** Somebody else was quicker, or it was not due any more. */
  | 'overtaken'
  /** It could not be looked after; it is tried again. */
  | 'broken';

/** Stays in a call's record for its trainee. */
const NOT_ANALYSED =
  'This call could not be scored, although it was tried several times. What was said in it is kept and can be read.';

/** What has been begun by then, asking the provider included, ends before the function's time is over. */
const RUN_MS_MAX = 60_000;

/**
 * Looks after calls that nobody else moves on: asks the provider about conversations that no webhook told of, starts
 * analyses again that did not end, and recordings that did not come. Each call is claimed before anything is done for
 * it, so that one that makes trouble holds up no other, and is looked after again later.
 *
 * @returns how often each thing happened; it ends when nothing is due or its time is over
 */
export const sweepCalls = (ports: CallSweepPorts): Promise<Map<CallSweepOutcome, number>> =>
  sweep(
    {
      findDue: (nowMs, most) => ports.calls.findDue(nowMs, most),
      processItem: (ids: CallIds) => sweepOne(ports, ids),
      isProgress: (swept: CallSweepOutcome) => swept !== 'overtaken' && swept !== 'broken',
      timeLimitMs: RUN_MS_MAX,
    },
    ports,
  );

async function sweepOne(ports: CallSweepPorts, ids: CallIds): Promise<CallSweepOutcome> {
  const { calls, clock, log } = ports;
  try {
    const call = await calls.find(ids);
    const nowMs = clock.now();
    if (call?.dueAtMs === undefined || call.dueAtMs > nowMs) return 'overtaken';
    return await advance(ports, call, nowMs);
  } catch (cause) {
    log.error('a call could not be swept', cause, { callId: ids.callId });
    await calls
      .forceReschedule(ids, clock.now() + schedule.SWEEP_RETRY_MS)
      .catch((error: unknown) => log.error('a call could not be put off', error, { callId: ids.callId }));
    return 'broken';
  }
}

async function advance(ports: CallSweepPorts, call: CallRecord, nowMs: number): Promise<CallSweepOutcome> {
  if (call.status === 'pending') return pollConversation(ports, call, nowMs);
  if (call.status === 'processing') return retryAnalysis(ports, call, nowMs);
  if (call.status === 'ready') return retryRecording(ports, call, nowMs);
  throw new Error(`A call that is ${call.status} has nothing left to do, and is due.`);
}

async function pollConversation(ports: CallSweepPorts, call: CallRecord, nowMs: number): Promise<CallSweepOutcome> {
  const { calls } = ports;
  if ((await calls.reschedule(call, nowMs + schedule.CONVERSATION_POLL_MS)) === 'stale') return 'overtaken';
  const found = await readConversation(ports, call);
  if (found.state === 'ended') {
    const { turns, durationSeconds, interruptions, hasAudio } = found.conversation;
    const packed = await encodeTranscript(turns, ports.log);
    const transcript = await storeTranscript(ports.transcripts, call, packed);
    const dueAtMs = ports.clock.now() + schedule.ANALYSIS_TIMEOUT_MS;
    const begun = await calls.startProcessing(call, { transcript, durationSeconds, interruptions, hasAudio }, dueAtMs);
    if (begun === 'applied') await ports.invokeProcessCall(call);
    if (begun === 'applied') ports.log.info('the analysis of a call is started', { callId: call.callId });
    return outcome(begun, 'begun');
  }
  if (found.state === 'failed') return outcome(await calls.failToStart(call, found.reason), 'refused');
  const unreachable = found.state === 'unreachable';
  const patienceMs = unreachable ? schedule.UNREACHABLE_ABANDONED_AFTER_MS : schedule.ABANDONED_AFTER_MS;
  if (nowMs - call.createdAtMs < patienceMs) return 'waiting';
  return outcome(await calls.abandon(call), 'abandoned');
}

async function readConversation(
  { voice, log }: CallSweepPorts,
  call: CallRecord,
): Promise<ConversationState | { state: 'unreachable' }> {
  try {
    return await voice.conversation(call.conversationId);
  } catch (cause) {
    log.error('the voice provider could not be asked about a call', cause, { callId: call.callId });
    log.recordMetric('VoiceUnreachable');
    return { state: 'unreachable' };
  }
}

async function retryAnalysis(ports: CallSweepPorts, call: CallRecord, nowMs: number): Promise<CallSweepOutcome> {
  if (call.attempts >= schedule.ANALYSIS_ATTEMPTS_MAX)
    return outcome(await ports.calls.fail(call, NOT_ANALYSED), 'failed');
  return outcome(await restart(ports, call, nowMs + schedule.ANALYSIS_TIMEOUT_MS), 'restarted');
}

async function retryRecording(ports: CallSweepPorts, call: CallRecord, nowMs: number): Promise<CallSweepOutcome> {
  if (call.attempts >= schedule.RECORDING_WAITS_MS.length) {
    return outcome(await ports.calls.completeRecording(call, null), 'recording_given_up');
  }
  const waitMs = schedule.RECORDING_WAITS_MS[call.attempts + 1] ?? schedule.LAST_RECORDING_WAIT_MS;
  return outcome(await restart(ports, call, nowMs + waitMs), 'recording_retried');
}

async function restart(
  { calls, invokeProcessCall: start, log }: CallSweepPorts,
  call: CallRecord,
  dueAtMs: number,
): Promise<TransitionOutcome> {
  const claimed = await calls.reschedule(call, dueAtMs);
  if (claimed === 'stale') return 'stale';
  try {
    await start(call);
  } catch (cause) {
    // Nothing was tried, so nothing is counted: a time in which nothing can be started must cost no call its score.
    await calls.reschedule({ ...call, dueAtMs, attempts: call.attempts + 1 }, dueAtMs, call.attempts);
    throw cause;
  }
  log.info('the analysis of a call is started again', { callId: call.callId });
  return 'applied';
}

const outcome = (changed: TransitionOutcome, swept: CallSweepOutcome): CallSweepOutcome =>
  changed === 'applied' ? swept : 'overtaken';
