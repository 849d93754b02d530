import * as z from 'zod/mini';
import { type CallIds, CallStatus } from '../call.ts';
import type { CallRecord, StoredTranscript } from '../ports.ts';
import { TrainingCase } from '../training-case.ts';

/** Whose call a key of the index is. */
export const parseCallKey = ({ pk, sk }: { pk: string; sk: string }): CallIds => ({
  orgId: pk.slice('org#'.length),
  callId: sk.slice('call#'.length),
});

/** A transcript in a call's item; null where there is none yet. */
export const TranscriptAttributes = z.object({
  transcript: z.nullish(z.union([z.string(), z.instanceof(Uint8Array)])),
  transcriptKey: z.nullish(z.string()),
});
type TranscriptAttributes = z.infer<typeof TranscriptAttributes>;

const CallItem = z.extend(TranscriptAttributes, {
  id: z.string(),
  orgId: z.string(),
  status: CallStatus,
  conversationId: z.string(),
  createdAt: z.iso.datetime(),
  caseSnapshot: TrainingCase,
  durationSeconds: z.nullish(z.number()),
  interruptions: z.nullish(z.number()),
  hasAudio: z.nullish(z.boolean()),
  recordingKey: z.nullish(z.string()),
  attempts: z._default(z.int(), 0),
  dueAt: z.optional(z.iso.datetime()),
});

/** A call's item as those who move it on see it. @throws ZodError for one that is not a call's */
export function parseCallItem(item: unknown): CallRecord {
  const call = CallItem.parse(item);
  const transcript = parseStoredTranscript(call);
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

/** Where an item says that its transcript is; undefined before there is one. */
export function parseStoredTranscript({
  transcript,
  transcriptKey,
}: TranscriptAttributes): StoredTranscript | undefined {
  if (typeof transcript === 'string') return { json: transcript };
  if (transcript instanceof Uint8Array) return { packed: transcript };
  return typeof transcriptKey === 'string' ? { key: transcriptKey } : undefined;
}

/** A transcript is in one of two places. */
export function toTranscriptAttributes(stored: StoredTranscript) {
  if ('key' in stored) return { transcript: null, transcriptKey: stored.key };
  return { transcript: 'json' in stored ? stored.json : stored.packed, transcriptKey: null };
}
