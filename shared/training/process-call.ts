import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { LlmJudge, LlmVerdict } from './analysis/llm-verdict.ts';
import type { CallIds, TranscriptTurn } from './call.ts';
import { ANALYSIS_ATTEMPTS_MAX, RECORDING_WAITS_MS } from './call-schedule.ts';
import type { CallRecord, CallRepository, StoredConversation } from './ports.ts';
import { type RecordingPorts, storeRecording } from './recordings.ts';
import { moveTranscriptToBucket, readTranscript, type TranscriptStore } from './transcripts.ts';
import { RecordingTooLargeError } from './voice-provider.ts';

export type ProcessCallPorts = RecordingPorts & {
  calls: Pick<CallRepository, 'find' | 'complete' | 'completeRecording'>;
  transcripts: TranscriptStore;
  judge: LlmJudge;
  clock: Clock;
  log: Logger;
};

/** What came of it; `nothing`: there was nothing to do, or somebody else has done it. */
export type ProcessCallOutcome = 'completed' | 'recorded' | 'without_recording' | 'recording_given_up' | 'nothing';

/** So long may a recording keep a score waiting, and so long when only the recording is waited for. */
const RECORDING_MS = { withScore: 20_000, alone: 200_000 };

/**
 * Takes a call as far as it goes now: a call in `processing` becomes ready, with its recording if that is there at
 * once; one that is ready gets the recording that it lacks. Every step can be repeated, also by two at a time.
 *
 * @throws what keeps an analysis from its end; the call stays as it is and the sweeper has it tried again
 */
export async function processCall(ports: ProcessCallPorts, ids: CallIds): Promise<ProcessCallOutcome> {
  const call = await ports.calls.find(ids);
  if (call?.status === 'processing') return complete(ports, call);
  if (call?.status === 'ready' && call.dueAtMs !== undefined) return addRecording(ports, call);
  return 'nothing';
}

async function complete(ports: ProcessCallPorts, call: CallRecord): Promise<ProcessCallOutcome> {
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
  const changed = await ports.calls.complete(call, {
    ...{ analysis, score, transcriptKey, recordingKey: recordingKey ?? null },
    dueAtMs: recordingKey === undefined ? ports.clock.now() + RECORDING_WAITS_MS[0] : undefined,
  });
  return changed === 'applied' ? 'completed' : 'nothing';
}

/** The verdict of a model; none when it fails, and none in the last attempt, since it may have ended those before. */
async function judgeCall(
  { judge, log }: ProcessCallPorts,
  { orgId, callId, caseSnapshot, attempts }: CallRecord,
  turns: readonly TranscriptTurn[],
): Promise<LlmVerdict | undefined> {
  if (attempts >= ANALYSIS_ATTEMPTS_MAX) return undefined;
  try {
    return await judge({ orgId, trainingCase: caseSnapshot, turns, log });
  } catch (cause) {
    log.error('a call could not be judged', cause, { callId });
    log.recordMetric('JudgeFailed');
    return undefined;
  }
}

/** Its key; null when there never will be one; undefined when it may come later. */
type Fetched = string | null | undefined;

/** The score does not wait for it, nor fall with it: a call that did not become ready at the first try does without. */
async function fetchFirstRecording(
  ports: ProcessCallPorts,
  call: CallRecord,
  { hasAudio }: StoredConversation,
): Promise<Fetched> {
  if (hasAudio === false) return null;
  return call.attempts > 0 ? undefined : fetchRecording(ports, call, RECORDING_MS.withScore);
}

async function addRecording(ports: ProcessCallPorts, call: CallRecord): Promise<ProcessCallOutcome> {
  const key = await fetchRecording(ports, call, RECORDING_MS.alone);
  if (key === undefined) return 'without_recording';
  if ((await ports.calls.completeRecording(call, key)) === 'stale') return 'nothing';
  return key === null ? 'recording_given_up' : 'recorded';
}

/** A recording that can't be had now is tried again by the schedule, like one that is not there yet. */
async function fetchRecording(ports: ProcessCallPorts, call: CallRecord, timeMs: number): Promise<Fetched> {
  try {
    return await storeRecording(ports, call, timeMs);
  } catch (cause) {
    const isTooLarge = cause instanceof RecordingTooLargeError;
    ports.log.error('the recording of a call could not be kept', cause, { callId: call.callId });
    ports.log.recordMetric(isTooLarge ? 'RecordingsTooLarge' : 'RecordingsNotKept');
    return isTooLarge ? null : undefined;
  }
}
