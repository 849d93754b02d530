import * as z from 'zod/mini';
import { formatDueAt } from '../../platform/due-index.ts';
import { type CallIds, CallStatus } from '../call.ts';
import type { CallRecord, NewCall, StoredTranscript } from '../ports.ts';
import { TrainingCase } from '../training-case.ts';
import { callDueShardOf, trainingKey } from './training-table.ts';

export const parseCallKey = ({ pk, sk }: { pk: string; sk: string }): CallIds => ({
  orgId: pk.slice('org#'.length),
  callId: sk.slice('call#'.length),
});

/** `transcript` and `transcriptKey` are null until an ended conversation is stored. Then one of them has a value. */
export const TranscriptAttributes = z.object({
  transcript: z.nullish(z.union([z.string(), z.instanceof(Uint8Array)])),
  transcriptKey: z.nullish(z.string()),
});
type TranscriptAttributes = z.infer<typeof TranscriptAttributes>;

/**
 * Stores null in attributes that have no value yet, because the schema `TrainingCall` requires most of these
 * attributes.
 */
export function toNewCallItem({
  trainingCase,
  persona,
  createdAtMs,
  dueAtMs,
  ...call
}: NewCall): Record<string, unknown> {
  const createdAt = new Date(createdAtMs).toISOString();
  return {
    ...trainingKey.call(call),
    id: call.callId,
    orgId: call.orgId,
    userId: call.userId,
    caseId: trainingCase.id,
    personaId: persona.id,
    conversationId: call.conversationId,
    agentId: persona.agentId,
    status: 'pending',
    durationSeconds: null,
    recordingKey: null,
    failureReason: null,
    createdAt,
    updatedAt: createdAt,
    caseSnapshot: trainingCase,
    transcript: null,
    transcriptKey: null,
    analysis: null,
    score: null,
    interruptions: null,
    hasAudio: null,
    attempts: 0,
    dueShard: callDueShardOf(call.callId),
    dueAt: formatDueAt(dueAtMs),
  };
}

/** The property `sweeperAttempts` of a call is stored as the attribute `attempts`. */
export const toAttemptsAttribute = (sweeperAttempts: number) => ({ attempts: sweeperAttempts });

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

/** @throws ZodError for an item that is not a valid call */
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
    sweeperAttempts: call.attempts,
  };
}

/** Returns undefined when no transcript is stored yet. */
export function parseStoredTranscript({
  transcript,
  transcriptKey,
}: TranscriptAttributes): StoredTranscript | undefined {
  if (typeof transcript === 'string') return { json: transcript };
  if (transcript instanceof Uint8Array) return { compressed: transcript };
  return typeof transcriptKey === 'string' ? { key: transcriptKey } : undefined;
}

export function toTranscriptAttributes(stored: StoredTranscript) {
  if ('key' in stored) return { transcript: null, transcriptKey: stored.key };
  return { transcript: 'json' in stored ? stored.json : stored.compressed, transcriptKey: null };
}
