import { createHandler } from '../../../functions/training/read-call/handler.ts';
import { readCallOperation } from '../../../functions/training/read-call/operation.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { createDynamoCallReader } from '../../../shared/training/aws/dynamo-call-reader.ts';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import type { TranscriptTurn } from '../../../shared/training/call.ts';
import type { StoredTranscript, TranscriptStore } from '../../../shared/training/ports.ts';
import type { ReadCallPorts } from '../../../shared/training/read-call.ts';
import {
  copyTranscriptToBucket,
  encodeTranscript,
  readTranscript,
  storeTranscriptIfLarge,
} from '../../../shared/training/transcripts.ts';
import { caller } from '../http.ts';
import { anAnalysis, aScore, HOUR_MS, NOON } from './calls.ts';
import { setUpSessions } from './sessions.ts';

export const TURNS: TranscriptTurn[] = [
  { role: 'agent', message: 'Yes, what is it?', timeInCallSecs: 0 },
  { role: 'user', message: 'Good morning – do you have a minute?', timeInCallSecs: 2.5 },
];

/** Too many turns to be stored as JSON. They are compressed in the item, and `complete` moves them to the bucket. */
export const MANY_TURNS: TranscriptTurn[] = Array.from({ length: 4_000 }, (_, at) => ({
  role: at % 2 === 0 ? 'agent' : 'user',
  message: `Line ${at}: "what" we said, and a little more of it than that. 🙂`,
  timeInCallSecs: at * 1.5,
}));

/** Sets up an organization whose calls are opened and read through the operations, with an in-memory bucket. */
export async function setUpReads(replaced: Partial<ReadCallPorts> = {}) {
  const world = await setUpSessions();
  const { orgId, authorization, as } = world;
  const bucket = new Map<string, Uint8Array>();
  const reads: string[] = [];
  const objects: TranscriptStore = {
    put: async (key, compressed) => void bucket.set(key, compressed),
    get: async (key) => {
      reads.push(key);
      return bucket.get(key);
    },
  };
  const calls = createDynamoCallRepository({ now: () => NOON + HOUR_MS });
  const ports = {
    calls: createDynamoCallReader(),
    readTranscript: (stored: StoredTranscript, callId: string) => readTranscript(objects, stored, callId),
  };
  const send = caller(readCallOperation, createHandler({ authorization, ...ports, ...replaced }));
  const open = async (): Promise<string> => ((await world.open()).body as { trainingCallId: string }).trainingCallId;
  return {
    ...world,
    send,
    calls,
    bucket,
    reads,
    pending: open,
    read: (id: string, headers: Record<string, string> = as('member')) => send({ path: { orgId, id }, headers }),
    /** Opens a call of the member and starts its processing. */
    processing: async (turns: TranscriptTurn[] = TURNS): Promise<string> => {
      const callId = await open();
      const transcript = await storeTranscriptIfLarge(
        objects,
        { orgId, callId },
        await encodeTranscript(turns, createJsonLogger({})),
      );
      const conversation = { durationSeconds: 61, interruptions: 1, hasAudio: true };
      await calls.moveToProcessing({ orgId, callId }, { transcript, ...conversation }, NOON + 2 * HOUR_MS);
      return callId;
    },
    /** Completes a call in processing, as its analysis does. */
    complete: async (callId: string): Promise<void> => {
      const { conversation } = (await calls.find({ orgId, callId })) ?? {};
      if (conversation === undefined) throw new Error('The conversation has not ended.');
      const transcriptKey = await copyTranscriptToBucket(
        objects,
        { orgId, callId },
        conversation.transcript,
        createJsonLogger({}),
      );
      await calls.moveToReady({ orgId, callId }, { ...aResult(), transcriptKey });
    },
  };
}

export const aResult = () => ({
  analysis: anAnalysis(),
  score: aScore(),
  recordingKey: 'recordings/here.mp3',
  dueAtMs: undefined,
});
