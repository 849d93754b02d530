import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { LlmVerdict } from './analysis/llm-verdict.ts';
import type { Sentence } from './analysis/sentences.ts';
import type { CallIds } from './call.ts';
import { ANALYSIS_RESTARTS_MAX, recordingRetryDelayMs } from './call-schedule.ts';
import type { CallRecord, CallRepository, LlmJudge, StoredConversation, TranscriptStore } from './ports.ts';
import { type RecordingPorts, storeRecording } from './recordings.ts';
import { copyTranscriptToBucket, readTranscript } from './transcripts.ts';
import { RecordingTooLargeError } from './voice-provider-errors.ts';

export type ProcessCallPorts = RecordingPorts & {
  calls: Pick<CallRepository, 'find' | 'moveToReady' | 'endRecordingWork'>;
  transcripts: TranscriptStore;
  judge: LlmJudge;
  clock: Clock;
  log: Logger;
};

export type ProcessCallOutcome =
  /** This run scored the call. */
  | 'completed'
  /** The call was scored earlier, and its recording is now stored. */
  | 'recorded'
  /** The call was scored earlier. Its recording does not exist yet, or could not be stored in this attempt. */
  | 'without_recording'
  /** The call was scored earlier. Its recording is too large and will not be stored. */
  | 'recording_too_large'
  /** There was nothing to do, or a concurrent run has changed the call first. */
  | 'nothing';

/**
 * Time limits for copying a recording (see `storeRecording`). `withScore` applies during an analysis and is short,
 * because the score waits for the recording. `alone` applies to a call that is already scored.
 */
const RECORDING_TIMEOUT_MS = { withScore: 20_000, alone: 200_000 };

/**
 * If the call is `processing`, scores it. Also stores its recording if the recording already exists, unless the sweeper
 * has restarted the analysis. If the call is `ready`, only stores a missing recording. Every step can be repeated, also
 * concurrently.
 *
 * @throws Error when the call can't be read, analysed or changed; Lambda and the sweeper then retry the run
 */
export async function processCall(ports: ProcessCallPorts, ids: CallIds): Promise<ProcessCallOutcome> {
  const call = await ports.calls.find(ids);
  if (call?.status === 'processing') return scoreCall(ports, call);
  if (call !== undefined && isRecordingPending(call)) return addRecording(ports, call);
  return 'nothing';
}

const isRecordingPending = ({ status, dueAtMs }: CallRecord): boolean => status === 'ready' && dueAtMs !== undefined;

async function scoreCall(ports: ProcessCallPorts, call: CallRecord): Promise<ProcessCallOutcome> {
  const { conversation, caseSnapshot: trainingCase } = call;
  if (conversation === undefined)
    throw new Error(`The call ${call.callId} has the status processing, but no stored conversation.`);
  const [turns, { analyseTranscript }, { splitTranscript }] = await Promise.all([
    readTranscript(ports.transcripts, conversation.transcript, call.callId),
    // These modules are imported only here, because a run that only fetches a recording does not need them.
    import('./analysis/analyse-transcript.ts'),
    import('./analysis/split-transcript.ts'),
  ]);
  const split = splitTranscript(turns, trainingCase);
  const [verdict, recording, transcriptKey] = await Promise.all([
    judgeCall(ports, call, split.citable),
    storeRecordingWithScore(ports, call, conversation),
    copyTranscriptToBucket(ports.transcripts, call, conversation.transcript, ports.log),
  ]);
  const { durationSeconds, interruptions } = conversation;
  const { analysis, score } = analyseTranscript(
    { trainingCase, turns, durationSeconds, interruptions },
    verdict,
    split,
  );
  const transition = await ports.calls.moveToReady(call, {
    analysis,
    score,
    transcriptKey,
    recordingKey: recording.state === 'stored' ? recording.key : null,
    dueAtMs: recording.state === 'later' ? ports.clock.now() + recordingRetryDelayMs(1) : undefined,
  });
  return transition === 'applied' ? 'completed' : 'nothing';
}

/**
 * Returns undefined when there is no verdict of a model. The last attempt to analyse a call does not use the model,
 * because the model may have caused the earlier failures.
 */
async function judgeCall(
  { judge, log }: ProcessCallPorts,
  { orgId, callId, caseSnapshot, sweeperAttempts }: CallRecord,
  sentences: readonly Sentence[],
): Promise<LlmVerdict | undefined> {
  if (sweeperAttempts >= ANALYSIS_RESTARTS_MAX) return undefined;
  try {
    return await judge({ orgId, callId, trainingCase: caseSnapshot, sentences, log });
  } catch (cause) {
    // The judge itself handles failures of the model. Other errors are caught here, for example a failed import.
    log.error('A call could not be judged. It is scored without a model.', cause, { callId });
    log.recordMetric('JudgeFailed');
    return undefined;
  }
}

/**
 * `none`: no recording will be stored, because there is none or it is too large. `later`: the recording does not exist
 * yet or could not be stored, and is retried.
 */
type RecordingResult = { state: 'stored'; key: string } | { state: 'none' } | { state: 'later' };

/**
 * If the sweeper has restarted the analysis, does not fetch the recording, because the fetch may have caused the
 * failure of the first run.
 */
async function storeRecordingWithScore(
  ports: ProcessCallPorts,
  call: CallRecord,
  { hasAudio }: StoredConversation,
): Promise<RecordingResult> {
  if (hasAudio === false) return { state: 'none' };
  return call.sweeperAttempts > 0
    ? { state: 'later' }
    : tryToStoreRecording(ports, call, RECORDING_TIMEOUT_MS.withScore);
}

async function addRecording(ports: ProcessCallPorts, call: CallRecord): Promise<ProcessCallOutcome> {
  const recording = await tryToStoreRecording(ports, call, RECORDING_TIMEOUT_MS.alone);
  // Nothing is written, because `scoreCall` or the sweeper has already stored the time of the next attempt.
  if (recording.state === 'later') return 'without_recording';
  const isStored = recording.state === 'stored';
  if ((await ports.calls.endRecordingWork(call, isStored ? recording.key : null)) === 'conflict') return 'nothing';
  // `tryToStoreRecording` returns `none` only for a recording that is too large.
  return isStored ? 'recorded' : 'recording_too_large';
}

/** Never throws. After an error, the recording is retried later unless it is too large. */
async function tryToStoreRecording(
  ports: ProcessCallPorts,
  call: CallRecord,
  timeoutMs: number,
): Promise<RecordingResult> {
  try {
    const key = await storeRecording(ports, call, timeoutMs);
    return key === undefined ? { state: 'later' } : { state: 'stored', key };
  } catch (cause) {
    const isTooLarge = cause instanceof RecordingTooLargeError;
    ports.log.error('The recording of a call could not be stored.', cause, { callId: call.callId });
    ports.log.recordMetric(isTooLarge ? 'RecordingsTooLarge' : 'RecordingsNotStored');
    return { state: isTooLarge ? 'none' : 'later' };
  }
}
