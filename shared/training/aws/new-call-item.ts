import { formatDueAt } from '../../platform/due-index.ts';
import type { NewCall } from '../open-session.ts';
import { callDueShardOf, trainingKey } from './training-table.ts';

/** A call's item from the beginning: what is not known yet is null, so that every item has every attribute. */
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
