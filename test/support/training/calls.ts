import { randomUUID } from 'node:crypto';
import type { Analysis, CallIds, CallStatus, Score } from '../../../shared/training/call.ts';
import type {
  CallRecord,
  CallRepository,
  StoredConversation,
  TransitionOutcome,
} from '../../../shared/training/ports.ts';
import type { TrainingCase } from '../../../shared/training/training-case.ts';

export const NOON = Date.UTC(2024, 5, 15, 12);
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export const aTrainingCase = (overrides: Partial<TrainingCase> = {}): TrainingCase => ({
  id: randomUUID(),
  name: 'An expensive offer',
  description: 'A buyer finds the offer too expensive.',
  situation: 'The buyer has a cheaper offer on the table.',
  objective: 'Agree on a second meeting.',
  successCriteria: 'The buyer names a day.',
  difficulty: 'medium',
  dos: [{ id: 'need', label: 'Ask what the buyer needs' }],
  archivedAt: null,
  ...overrides,
});

/** A stored conversation of two turns. */
export const aConversation = (overrides: Partial<StoredConversation> = {}): StoredConversation => ({
  transcript: {
    json: JSON.stringify([
      { role: 'agent', message: 'That is too expensive.', timeInCallSecs: 0 },
      { role: 'user', message: 'What do you need?', timeInCallSecs: 3 },
    ]),
  },
  durationSeconds: 60,
  interruptions: null,
  hasAudio: true,
  ...overrides,
});

export const anAnalysis = (): Analysis => ({
  summary: 'They talked.',
  language: 'en',
  dos: [{ id: 'need', label: 'Ask what the buyer needs', covered: false, evidence: [] }],
  successCriteria: { met: null, evidence: [] },
  metrics: {
    talkRatio: 0.5,
    longestMonologueSecs: 3,
    questionsAsked: 1,
    turns: 2,
    wordsPerMinute: 80,
    interruptions: null,
    fillerWords: 0,
  },
  judgedBy: 'rules',
});

export const aScore = (): Score => ({ total: 40, criteria: [] });

/** A call record with further stored attributes. `CallRepository` does not return these attributes. */
export type MemoryCall = CallRecord & {
  failureReason: string | null;
  analysis: Analysis | null;
  score: Score | null;
  updatedAtMs: number;
};

/** A pending call, due half an hour after its creation. */
export const aCall = (overrides: Partial<MemoryCall> = {}): MemoryCall => {
  const createdAtMs = overrides.createdAtMs ?? NOON;
  return {
    orgId: randomUUID(),
    callId: randomUUID(),
    conversationId: `conv_${randomUUID()}`,
    status: 'pending',
    caseSnapshot: aTrainingCase(),
    conversation: undefined,
    recordingKey: null,
    createdAtMs,
    dueAtMs: createdAtMs + 30 * MINUTE_MS,
    sweeperAttempts: 0,
    failureReason: null,
    analysis: null,
    score: null,
    updatedAtMs: createdAtMs,
    ...overrides,
  };
};

export type MemoryCalls = CallRepository & {
  /** By call id. */
  stored: Map<string, MemoryCall>;
  add(call: MemoryCall): MemoryCall;
};

/** Calls in memory. Transitions are atomic. */
export function createMemoryCalls(clock: { now(): number } = { now: () => NOON }): MemoryCalls {
  const stored = new Map<string, MemoryCall>();
  const findCall = ({ orgId, callId }: CallIds): MemoryCall | undefined => {
    const call = stored.get(callId);
    return call?.orgId === orgId ? call : undefined;
  };
  const change = (
    ids: CallIds,
    from: CallStatus[],
    to: Partial<MemoryCall>,
    when = (_: MemoryCall) => true,
  ): TransitionOutcome => {
    const call = findCall(ids);
    if (call === undefined || !from.includes(call.status) || !when(call)) return 'conflict';
    stored.set(ids.callId, { ...call, ...to, updatedAtMs: clock.now() });
    return 'applied';
  };
  const NOT_DUE = { dueAtMs: undefined };
  return {
    stored,
    add: (call) => {
      stored.set(call.callId, call);
      return call;
    },
    findIdsByConversation: async (conversationId) => {
      const call = [...stored.values()].find((each) => each.conversationId === conversationId);
      return call && { orgId: call.orgId, callId: call.callId };
    },
    find: async (ids) => findCall(ids),
    moveToProcessing: async (ids, conversation, dueAtMs) =>
      change(ids, ['pending', 'abandoned'], { status: 'processing', conversation, dueAtMs, sweeperAttempts: 0 }),
    failPending: async (ids, failureReason) =>
      change(ids, ['pending'], { status: 'failed', failureReason, ...NOT_DUE }),
    moveToReady: async (ids, { transcriptKey, ...result }) => {
      const conversation = findCall(ids)?.conversation;
      const moved = conversation && transcriptKey && { ...conversation, transcript: { key: transcriptKey } };
      return change(ids, ['processing'], {
        status: 'ready',
        ...result,
        ...(moved && { conversation: moved }),
        sweeperAttempts: 0,
      });
    },
    failProcessing: async (ids, failureReason) =>
      change(ids, ['processing'], { status: 'failed', failureReason, ...NOT_DUE }),
    abandon: async (ids) => change(ids, ['pending'], { status: 'abandoned', ...NOT_DUE }),
    reschedule: async (seen, dueAtMs, sweeperAttempts = seen.sweeperAttempts + 1) =>
      change(
        seen,
        [seen.status],
        { dueAtMs, sweeperAttempts },
        (call) => call.dueAtMs !== undefined && call.dueAtMs === seen.dueAtMs,
      ),
    forceReschedule: async (ids, dueAtMs) => {
      const call = findCall(ids);
      if (call?.dueAtMs === undefined || call.dueAtMs >= dueAtMs) return 'conflict';
      stored.set(ids.callId, { ...call, dueAtMs });
      return 'applied';
    },
    endRecordingWork: async (ids, recordingKey) =>
      change(ids, ['ready'], { recordingKey, ...NOT_DUE }, (call) =>
        recordingKey === null ? call.dueAtMs !== undefined : call.recordingKey === null,
      ),
    findDue: async (nowMs, limit) =>
      [...stored.values()]
        .filter(({ dueAtMs }) => dueAtMs !== undefined && dueAtMs <= nowMs)
        .sort((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0))
        .slice(0, limit)
        .map(({ orgId, callId }) => ({ orgId, callId })),
  };
}
