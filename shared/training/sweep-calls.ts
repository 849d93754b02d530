import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { sweep } from '../platform/sweeper.ts';
import type { CallIds } from './call.ts';
import * as schedule from './call-schedule.ts';
import type {
  CallRecord,
  CallRepository,
  ConversationState,
  EndedConversation,
  ProcessCallInvoker,
  TranscriptStore,
  TransitionOutcome,
  VoiceProvider,
} from './ports.ts';
import { encodeTranscript, storeTranscriptIfLarge } from './transcripts.ts';

export type CallSweepPorts = {
  calls: Omit<CallRepository, 'findIdsByConversation' | 'moveToReady'>;
  transcripts: Pick<TranscriptStore, 'put'>;
  voice: Pick<VoiceProvider, 'readConversation'>;
  invokeProcessCall: ProcessCallInvoker;
  clock: Clock;
  log: Logger;
};

export type CallSweepOutcome =
  /** The conversation of a pending call has ended. */
  | 'processing_started'
  /** The conversation of a pending call has failed before the trainee said anything. */
  | 'failed_to_start'
  /** The conversation of a pending call has not ended yet, or could not be read. */
  | 'waiting'
  /** No ended conversation of a pending call was found in time. */
  | 'abandoned'
  /** The analysis of a processing call was restarted. */
  | 'restarted'
  /** The analysis of a processing call has not ended in any attempt. */
  | 'failed'
  /** The recording of a ready call is fetched again. */
  | 'recording_retried'
  /** The recording of a ready call could not be fetched in any attempt. */
  | 'recording_given_up'
  /** The call has changed concurrently, or is not due any more. */
  | 'conflict'
  /** The sweep of the call has failed and is retried later. */
  | 'error';

/** The failure reason that the trainee reads. */
const NOT_ANALYSED = 'The call could not be scored in several attempts. Its transcript is stored and can be read.';

/**
 * The sweep begins no further call after this time, so that requests to the provider end within the timeout of the
 * function.
 */
const RUN_MS_MAX = 60_000;

/**
 * Processes calls that are due: reads conversations from the provider if no webhook arrived, restarts analyses that did
 * not end, and retries missing recordings. Reschedules a call before this work, so that a failing call does not
 * delay the others.
 *
 * @returns the number of calls by outcome
 */
export const sweepCalls = (ports: CallSweepPorts): Promise<Map<CallSweepOutcome, number>> =>
  sweep(
    {
      findDue: (nowMs, limit) => ports.calls.findDue(nowMs, limit),
      processItem: (ids: CallIds) => sweepCall(ports, ids),
      isProgress: (outcome: CallSweepOutcome) => outcome !== 'conflict' && outcome !== 'error',
      timeLimitMs: RUN_MS_MAX,
    },
    ports,
  );

async function sweepCall(ports: CallSweepPorts, ids: CallIds): Promise<CallSweepOutcome> {
  const { calls, clock, log } = ports;
  try {
    const call = await calls.find(ids);
    const nowMs = clock.now();
    if (call?.dueAtMs === undefined || call.dueAtMs > nowMs) return 'conflict';
    return await advance(ports, call, nowMs);
  } catch (cause) {
    log.error('The sweep of a call failed. A later run retries it.', cause, { callId: ids.callId });
    await calls.forceReschedule(ids, clock.now() + schedule.SWEEP_RETRY_DELAY_MS).catch((error: unknown) =>
      log.error('The next attempt for a call could not be postponed. The next run processes the call again.', error, {
        callId: ids.callId,
      }),
    );
    return 'error';
  }
}

async function advance(ports: CallSweepPorts, call: CallRecord, nowMs: number): Promise<CallSweepOutcome> {
  if (call.status === 'pending') return pollConversation(ports, call, nowMs);
  if (call.status === 'processing') return retryAnalysis(ports, call, nowMs);
  if (call.status === 'ready') return retryRecording(ports, call, nowMs);
  throw new Error(
    `The call ${call.callId} is in the due index, although it has the status ${call.status} and no unfinished work.`,
  );
}

async function pollConversation(ports: CallSweepPorts, call: CallRecord, nowMs: number): Promise<CallSweepOutcome> {
  const { calls } = ports;
  const rescheduled = await calls.reschedule(call, nowMs + schedule.CONVERSATION_POLL_INTERVAL_MS);
  if (rescheduled === 'conflict') return 'conflict';
  const found = await readConversation(ports, call);
  if (found.state === 'ended') return startProcessing(ports, call, found.conversation);
  if (found.state === 'failed') return outcomeOf(await calls.failPending(call, found.reason), 'failed_to_start');
  const isUnreachable = found.state === 'unreachable';
  const abandonedAfterMs = isUnreachable ? schedule.UNREACHABLE_ABANDONED_AFTER_MS : schedule.ABANDONED_AFTER_MS;
  if (nowMs - call.createdAtMs < abandonedAfterMs) return 'waiting';
  return outcomeOf(await calls.abandon(call), 'abandoned');
}

async function startProcessing(
  { calls, transcripts, invokeProcessCall, clock, log }: CallSweepPorts,
  call: CallRecord,
  { turns, durationSeconds, interruptions, hasAudio }: EndedConversation,
): Promise<CallSweepOutcome> {
  const transcript = await storeTranscriptIfLarge(transcripts, call, await encodeTranscript(turns, log));
  const conversation = { transcript, durationSeconds, interruptions, hasAudio };
  const transition = await calls.moveToProcessing(call, conversation, clock.now() + schedule.ANALYSIS_TIMEOUT_MS);
  if (transition === 'conflict') return 'conflict';
  await invokeProcessCall(call);
  log.info('The analysis of a call was started.', { callId: call.callId });
  return 'processing_started';
}

async function readConversation(
  { voice, log }: CallSweepPorts,
  call: CallRecord,
): Promise<ConversationState | { state: 'unreachable' }> {
  try {
    return await voice.readConversation(call.conversationId);
  } catch (cause) {
    log.error('A conversation could not be read. Later runs retry until its call is a day old.', cause, {
      callId: call.callId,
    });
    log.recordMetric('VoiceUnreachable');
    return { state: 'unreachable' };
  }
}

async function retryAnalysis(ports: CallSweepPorts, call: CallRecord, nowMs: number): Promise<CallSweepOutcome> {
  if (call.sweeperAttempts >= schedule.ANALYSIS_RESTARTS_MAX) {
    return outcomeOf(await ports.calls.failProcessing(call, NOT_ANALYSED), 'failed');
  }
  return outcomeOf(await rescheduleAndInvoke(ports, call, nowMs + schedule.ANALYSIS_TIMEOUT_MS), 'restarted');
}

async function retryRecording(ports: CallSweepPorts, call: CallRecord, nowMs: number): Promise<CallSweepOutcome> {
  if (call.sweeperAttempts >= schedule.RECORDING_SWEEPER_ATTEMPTS_MAX) {
    return outcomeOf(await ports.calls.endRecordingWork(call, null), 'recording_given_up');
  }
  // The analysis counts as an attempt, even if a restarted analysis did not fetch the recording.
  const earlierAttempts = 1 + call.sweeperAttempts;
  const delayMs = schedule.recordingRetryDelayMs(earlierAttempts + 1);
  return outcomeOf(await rescheduleAndInvoke(ports, call, nowMs + delayMs), 'recording_retried');
}

async function rescheduleAndInvoke(
  { calls, invokeProcessCall, log }: CallSweepPorts,
  call: CallRecord,
  dueAtMs: number,
): Promise<TransitionOutcome> {
  if ((await calls.reschedule(call, dueAtMs)) === 'conflict') return 'conflict';
  try {
    await invokeProcessCall(call);
  } catch (cause) {
    // Restore the number of attempts, because nothing was attempted. An outage of Lambda must not use up the attempts
    // of a call.
    await calls.reschedule({ ...call, dueAtMs }, dueAtMs, call.sweeperAttempts);
    throw cause;
  }
  log.info('The function analyse-call was invoked again for a call.', { callId: call.callId, status: call.status });
  return 'applied';
}

const outcomeOf = (transition: TransitionOutcome, applied: CallSweepOutcome): CallSweepOutcome =>
  transition === 'applied' ? applied : transition;
