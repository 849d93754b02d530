import * as z from 'zod';
import { type CallIds, CallStatus } from '../call.ts';
import { TrainingCase } from '../training-case.ts';
import type { CallWork, StoredTranscript } from './calls.ts';

/** Whose call a key of the index is. */
export const idsIn = ({ pk, sk }: { pk: string; sk: string }): CallIds => ({
  orgId: pk.slice('org#'.length),
  callId: sk.slice('call#'.length),
});

const CallItem = z.object({
  id: z.string(),
  orgId: z.string(),
  status: CallStatus,
  conversationId: z.string(),
  createdAt: z.iso.datetime(),
  caseSnapshot: TrainingCase,
  transcript: z.string().nullish(),
  transcriptKey: z.string().nullish(),
  durationSeconds: z.number().nullish(),
  interruptions: z.number().nullish(),
  hasAudio: z.boolean().nullish(),
  recordingKey: z.string().nullish(),
  attempts: z.int().default(0),
  dueAt: z.iso.datetime().optional(),
});

/** A call's item as those who move it on see it. @throws ZodError for one that is not a call's */
export function callWorkIn(item: unknown): CallWork {
  const call = CallItem.parse(item);
  const transcript = storedTranscript(call);
  return {
    orgId: call.orgId,
    callId: call.id,
    status: call.status,
    conversationId: call.conversationId,
    createdAtMs: Date.parse(call.createdAt),
    caseSnapshot: call.caseSnapshot,
    conversation: transcript && {
      transcript,
      durationSeconds: call.durationSeconds ?? null,
      interruptions: call.interruptions ?? null,
      hasAudio: call.hasAudio ?? null,
    },
    recordingKey: call.recordingKey ?? null,
    dueAtMs: call.dueAt === undefined ? undefined : Date.parse(call.dueAt),
    attempts: call.attempts,
  };
}

type TranscriptAttributes = { transcript?: string | null | undefined; transcriptKey?: string | null | undefined };

/** Where an item says that its transcript is; undefined before there is one. */
export function storedTranscript({ transcript, transcriptKey }: TranscriptAttributes): StoredTranscript | undefined {
  if (typeof transcript === 'string') return { json: transcript };
  return typeof transcriptKey === 'string' ? { key: transcriptKey } : undefined;
}
