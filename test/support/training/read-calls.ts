import { createHandler } from '../../../functions/training/read-call/handler.ts';
import { readCallOperation } from '../../../functions/training/read-call/operation.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { createDynamoCallReader } from '../../../shared/training/aws/dynamo-call-reader.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import type { TranscriptTurn } from '../../../shared/training/call.ts';
import type { ReadCallPorts } from '../../../shared/training/read-call.ts';
import {
  encodeTranscript,
  moveTranscriptToBucket,
  readTranscript,
  storeTranscript,
  type TranscriptStore,
} from '../../../shared/training/transcripts.ts';
import { caller } from '../http.ts';
import { anAnalysis, aScore, HOUR_MS, NOON } from './calls.ts';
import { setUpSessions } from './sessions.ts';

export const TURNS: TranscriptTurn[] = [
  { role: 'agent', message: 'Yes, what is it?', timeInCallSecs: 0 },
  { role: 'user', message: 'Good morning – do you have a minute?', timeInCallSecs: 2.5 },
];

/** So many that they lie in the bucket. */
export const MANY_TURNS: TranscriptTurn[] = Array.from({ length: 4_000 }, (_, at) => ({
  role: at % 2 === 0 ? 'agent' : 'user',
  message: `Line ${at}: "what" we said, and a little more of it than that. 🙂`,
  timeInCallSecs: at * 1.5,
}));

/** An organization whose calls are opened by one operation and read by the other, with a bucket in memory. */
export async function setUpReads(replaced: Partial<ReadCallPorts> = {}) {
  const world = await setUpSessions();
  const { orgId, authorization, as } = world;
  const bucket = new Map<string, Uint8Array>();
  const reads: string[] = [];
  const objects: TranscriptStore = {
    put: async (key, packed) => void bucket.set(key, packed),
    get: async (key) => {
      reads.push(key);
      return bucket.get(key);
    },
  };
  const calls = createDynamoCallRepository({ now: () => NOON + HOUR_MS });
  const ports = {
    calls: createDynamoCallReader(),
    transcript: (stored: Parameters<ReadCallPorts['transcript']>[0]) => readTranscript(objects, stored),
  };
  const send = caller(readCallOperation, createHandler({ authorization, ...ports, ...replaced }));
  const opened = async (): Promise<string> => ((await world.open()).body as { trainingCallId: string }).trainingCallId;
  return {
    ...{ ...world, send, calls, bucket, reads, opened },
    read: (id: string, headers: Record<string, string> = as('member')) => send({ path: { orgId, id }, headers }),
    /** A call of the member's that is over, and being looked at. */
    ended: async (turns: TranscriptTurn[] = TURNS): Promise<string> => {
      const callId = await opened();
      const transcript = await storeTranscript(
        objects,
        { orgId, callId },
        await encodeTranscript(turns, createJsonLogger({})),
      );
      const told = { durationSeconds: 61, interruptions: 1, hasAudio: true };
      await calls.startProcessing({ orgId, callId }, { transcript, ...told }, NOON + 2 * HOUR_MS);
      return callId;
    },
    /** What the analysis does of it. */
    finished: async (callId: string): Promise<void> => {
      const { conversation } = (await calls.find({ orgId, callId })) ?? {};
      if (conversation === undefined) throw new Error('The call is not over.');
      const transcriptKey = await moveTranscriptToBucket(
        objects,
        { orgId, callId },
        conversation.transcript,
        createJsonLogger({}),
      );
      await calls.complete({ orgId, callId }, { ...anOutcome(), transcriptKey });
    },
  };
}

/** The outcome of a call that is over. */
export const anOutcome = () => ({
  analysis: anAnalysis(),
  score: aScore(),
  recordingKey: 'recordings/here.mp3',
  dueAtMs: undefined,
});
