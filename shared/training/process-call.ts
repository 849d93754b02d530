import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { LlmJudge, LlmVerdict } from './analysis/llm-verdict.ts';
import type { CallIds, TranscriptTurn } from './call.ts';
import { ANALYSIS_ATTEMPTS_MAX, RECORDING_RETRY_DELAYS_MS } from './call-schedule.ts';
import type { CallRecord, CallRepository, StoredConversation, TranscriptStore } from './ports.ts';
import { type RecordingPorts, storeRecording } from './recordings.ts';
import { moveTranscriptToBucket, readTranscript } from './transcripts.ts';
import { RecordingTooLargeError } from './voice-provider-errors.ts';

export type ProcessCallPorts = RecordingPorts & {
  calls: Pick<CallRepository, 'find' | 'complete' | 'completeRecording'>;
  transcripts: TranscriptStore;
  judge: LlmJudge;
  clock: Clock;
  log: Logger;
};

export type ProcessCallOutcome =
  /** The call is scored. */
  | 'completed'
  /** The call was scored before: its recording is stored, does not exist yet, or cannot be stored at all. */
  | ('recorded' | 'without_recording' | 'recording_given_up')
  /** Nothing was left to do, or a concurrent run has done it. */
  | 'nothing';

/** Time limits for fetching a recording: while the score waits for it, and without a score to wait. */
const RECORDING_TIMEOUT_MS = { withScore: 20_000, alone: 200_000 };

/**
 * Scores a call in `processing` and stores its recording if it already exists. Stores the missing recording of a call that
 * is `ready`. Every step can be repeated, also concurrently.
 *
 * @throws Error when the analysis fails; the call is unchanged and the sweeper retries it
 */
export async function processCall(ports: ProcessCallPorts, ids: CallIds): Promise<ProcessCallOutcome> {
  const call = await ports.calls.find(ids);
  if (call?.status === 'processing') return scoreCall(ports, call);
  if (call?.status === 'ready' && call.dueAtMs !== undefined) return addRecording(ports, call);
  return 'nothing';
}

async function scoreCall(ports: ProcessCallPorts, call: CallRecord): Promise<ProcessCallOutcome> {
  const { conversation, caseSnapshot: trainingCase } = call;
  if (conversation === undefined) throw new Error('A call in processing has no conversation.');
  const [turns, { analyseCall }, { excludePromptInjections }] = await Promise.all([
    readTranscript(ports.transcripts, conversation.transcript),
    // Not needed where only a recording is fetched.
    import('./analysis/analyse-call.ts'),
    import('./analysis/prompt-injections.ts'),
  ]);
  const [verdict, recordingKey, transcriptKey] = await Promise.all([
    judgeCall(ports, call, excludePromptInjections(turns, trainingCase)),
    fetchFirstRecording(ports, call, conversation),
    moveTranscriptToBucket(ports.transcripts, call, conversation.transcript, ports.log),
  ]);
  const { durationSeconds, interruptions } = conversation;
  const { analysis, score } = analyseCall({ trainingCase, turns, durationSeconds, interruptions }, verdict);
  const transition = await ports.calls.complete(call, {
    analysis,
    score,
    transcriptKey,
    recordingKey: recordingKey ?? null,
    dueAtMs: recordingKey === undefined ? ports.clock.now() + RECORDING_RETRY_DELAYS_MS[0] : undefined,
  });
  return transition === 'applied' ? 'completed' : 'nothing';
}

/** The model's verdict. None when the model fails, and none in the last attempt: the model may have failed those before. */
async function judgeCall(
  { judge, log }: ProcessCallPorts,
  { orgId, callId, caseSnapshot, attempts }: CallRecord,
  turns: readonly TranscriptTurn[],
): Promise<LlmVerdict | undefined> {
  if (attempts >= ANALYSIS_ATTEMPTS_MAX) return undefined;
  try {
    return await judge({ orgId, trainingCase: caseSnapshot, turns, log });
  } catch (cause) {
    log.error('The model could not judge a call.', cause, { callId });
    log.recordMetric('JudgeFailed');
    return undefined;
  }
}

/** The recording's key; null when there will never be a recording; undefined when it may come later. */
type FetchedRecordingKey = string | null | undefined;

/** A retried analysis does not fetch the recording, which may be what failed the first attempt. */
async function fetchFirstRecording(
  ports: ProcessCallPorts,
  call: CallRecord,
  { hasAudio }: StoredConversation,
): Promise<FetchedRecordingKey> {
  if (hasAudio === false) return null;
  return call.attempts > 0 ? undefined : fetchRecording(ports, call, RECORDING_TIMEOUT_MS.withScore);
}

async function addRecording(ports: ProcessCallPorts, call: CallRecord): Promise<ProcessCallOutcome> {
  const key = await fetchRecording(ports, call, RECORDING_TIMEOUT_MS.alone);
  if (key === undefined) return 'without_recording';
  if ((await ports.calls.completeRecording(call, key)) === 'stale') return 'nothing';
  return key === null ? 'recording_given_up' : 'recorded';
}

/** Never throws. After an error the recording is retried like one that does not exist yet. */
async function fetchRecording(
  ports: ProcessCallPorts,
  call: CallRecord,
  timeoutMs: number,
): Promise<FetchedRecordingKey> {
  try {
    return await storeRecording(ports, call, timeoutMs);
  } catch (cause) {
    const isTooLarge = cause instanceof RecordingTooLargeError;
    ports.log.error('The recording of a call could not be stored.', cause, { callId: call.callId });
    ports.log.recordMetric(isTooLarge ? 'RecordingsTooLarge' : 'RecordingsNotStored');
    return isTooLarge ? null : undefined;
  }
}
