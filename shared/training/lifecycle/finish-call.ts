import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Judge, Judgement } from '../analysis/judgement.ts';
import type { CallIds, Turn } from '../call.ts';
import { RecordingTooLarge } from '../voice/voice-provider.ts';
import type { CallChanges, CallWork, KeptConversation } from './calls.ts';
import { keepRecording, type RecordingPorts } from './recordings.ts';
import { ANALYSIS_ROUNDS, RECORDING_WAITS_MS } from './schedule.ts';
import { readTranscript, settledKey, type TranscriptObjects } from './transcripts.ts';

export type AnalysisPorts = RecordingPorts & {
  calls: Pick<CallChanges, 'find' | 'complete' | 'settleRecording'>;
  transcripts: TranscriptObjects;
  judge: Judge;
  clock: Clock;
  log: Log;
};

/** What came of it; `nothing`: there was nothing to do, or somebody else has done it. */
export type Finished = 'completed' | 'recorded' | 'without_recording' | 'recording_given_up' | 'nothing';

/** So long may a recording keep a score waiting, and so long when only the recording is waited for. */
const RECORDING_MS = { withScore: 20_000, alone: 200_000 };

/**
 * Takes a call as far as it goes now: a call in `processing` becomes ready, with its recording if that is there at
 * once; one that is ready gets the recording that it lacks. Every step can be repeated, also by two at a time.
 *
 * @throws what keeps an analysis from its end; the call stays as it is and the sweeper has it tried again
 */
export async function finishCall(ports: AnalysisPorts, ids: CallIds): Promise<Finished> {
  const call = await ports.calls.find(ids);
  if (call?.status === 'processing') return complete(ports, call);
  if (call?.status === 'ready' && call.dueAtMs !== undefined) return addRecording(ports, call);
  return 'nothing';
}

async function complete(ports: AnalysisPorts, call: CallWork): Promise<Finished> {
  const { conversation, caseSnapshot: trainingCase } = call;
  if (conversation === undefined) throw new Error('A call in processing has no conversation.');
  const [turns, { analyseCall, turnsForJudge }] = await Promise.all([
    readTranscript(ports.transcripts, conversation.transcript),
    // Not needed where only a recording is fetched.
    import('../analysis/analyse-call.ts'),
  ]);
  const [judgement, recordingKey, transcriptKey] = await Promise.all([
    judged(ports, call, turnsForJudge(turns, trainingCase)),
    firstRecording(ports, call, conversation),
    settledKey(ports.transcripts, call, conversation.transcript, ports.log),
  ]);
  const { durationSeconds, interruptions } = conversation;
  const { analysis, score } = analyseCall({ trainingCase, turns, durationSeconds, interruptions }, judgement);
  const changed = await ports.calls.complete(call, {
    ...{ analysis, score, transcriptKey, recordingKey: recordingKey ?? null },
    dueAtMs: recordingKey === undefined ? ports.clock.now() + RECORDING_WAITS_MS[0] : undefined,
  });
  return changed === 'applied' ? 'completed' : 'nothing';
}

/** What a judge says; the rules alone when it can't, and in the last round, for it may be what ended those before. */
async function judged(
  { judge, log }: AnalysisPorts,
  { orgId, callId, caseSnapshot, attempts }: CallWork,
  turns: readonly Turn[],
): Promise<Judgement | undefined> {
  if (attempts >= ANALYSIS_ROUNDS) return undefined;
  try {
    return await judge({ orgId, trainingCase: caseSnapshot, turns, log });
  } catch (cause) {
    log.error('a call could not be judged', cause, { callId });
    log.count('JudgeFailed');
    return undefined;
  }
}

/** Its key; null when there never will be one; undefined when it may come later. */
type Fetched = string | null | undefined;

/** The score does not wait for it, nor fall with it: a call that did not become ready at the first try does without. */
async function firstRecording(ports: AnalysisPorts, call: CallWork, { hasAudio }: KeptConversation): Promise<Fetched> {
  if (hasAudio === false) return null;
  return call.attempts > 0 ? undefined : fetched(ports, call, RECORDING_MS.withScore);
}

async function addRecording(ports: AnalysisPorts, call: CallWork): Promise<Finished> {
  const key = await fetched(ports, call, RECORDING_MS.alone);
  if (key === undefined) return 'without_recording';
  if ((await ports.calls.settleRecording(call, key)) === 'stale') return 'nothing';
  return key === null ? 'recording_given_up' : 'recorded';
}

/** A recording that can't be had now is tried again by the schedule, like one that is not there yet. */
async function fetched(ports: AnalysisPorts, call: CallWork, timeMs: number): Promise<Fetched> {
  try {
    return await keepRecording(ports, call, timeMs);
  } catch (cause) {
    const isTooLarge = cause instanceof RecordingTooLarge;
    ports.log.error('the recording of a call could not be kept', cause, { callId: call.callId });
    ports.log.count(isTooLarge ? 'RecordingsTooLarge' : 'RecordingsNotKept');
    return isTooLarge ? null : undefined;
  }
}
