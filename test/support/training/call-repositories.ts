import { expect } from 'vitest';
import { createDynamoCallRepository } from '../../../shared/training/aws/dynamo-call-repository.ts';
import type { CallStatus } from '../../../shared/training/call.ts';
import type { CallRecord, CallRepository, TransitionOutcome } from '../../../shared/training/ports.ts';
import { aCall, aConversation, anAnalysis, aScore, HOUR_MS, type MemoryCall, memoryCalls, NOON } from './calls.ts';
import { callItem, storedCall } from './stored-calls.ts';

export const STATUSES: CallStatus[] = ['pending', 'processing', 'ready', 'failed', 'abandoned'];
export const LATER = NOON + HOUR_MS;
/** It stands. */
export const clock = { now: () => NOON };

/** What readers see beside what the port tells. */
type Seen = { failureReason: unknown; analysis: unknown; score: unknown; updatedAt: unknown; isDue: boolean };

const parsed = (json: unknown) => (typeof json === 'string' ? JSON.parse(json) : json);

/** Where calls may lie; each keeps what the port promises. */
export const worlds = [
  {
    name: 'in memory',
    open: () => {
      const calls = memoryCalls(clock);
      const add = async (said: Partial<MemoryCall> = {}) => calls.add(aCall(said));
      const seen = async ({ callId }: CallRecord): Promise<Seen> => {
        const call = calls.stored.get(callId) as MemoryCall;
        const { failureReason, analysis, score, updatedAtMs, dueAtMs } = call;
        const updatedAt = new Date(updatedAtMs).toISOString();
        return { failureReason, analysis, score, updatedAt, isDue: dueAtMs !== undefined };
      };
      return { calls: calls as CallRepository, add, seen };
    },
  },
  {
    name: 'in DynamoDB',
    open: () => {
      const seen = async (call: CallRecord): Promise<Seen> => {
        const { failureReason, analysis, score, updatedAt, dueShard, dueAt } = await callItem(call);
        expect(dueShard === undefined).toBe(dueAt === undefined);
        return {
          failureReason,
          updatedAt,
          analysis: parsed(analysis),
          score: parsed(score),
          isDue: dueAt !== undefined,
        };
      };
      return { calls: createDynamoCallRepository(clock), add: storedCall, seen };
    },
  },
];

export const result = { analysis: anAnalysis(), score: aScore(), recordingKey: null, dueAtMs: LATER };

/** Every change that leads to another state. */
export const MOVES: Record<
  string,
  { from: CallStatus[]; to: CallStatus; apply(calls: CallRepository, call: CallRecord): Promise<TransitionOutcome> }
> = {
  startProcessing: {
    from: ['pending', 'abandoned'],
    to: 'processing',
    apply: (calls, call) => calls.startProcessing(call, aConversation(), LATER),
  },
  failToStart: {
    from: ['pending'],
    to: 'failed',
    apply: (calls, call) => calls.failToStart(call, 'It could not start.'),
  },
  complete: { from: ['processing'], to: 'ready', apply: (calls, call) => calls.complete(call, result) },
  fail: { from: ['processing'], to: 'failed', apply: (calls, call) => calls.fail(call, 'It could not be analysed.') },
  abandon: { from: ['pending'], to: 'abandoned', apply: (calls, call) => calls.abandon(call) },
};

/** The changes that lead a pending call to a state. */
const WAY: Record<CallStatus, (keyof typeof MOVES)[]> = {
  pending: [],
  processing: ['startProcessing'],
  ready: ['startProcessing', 'complete'],
  failed: ['failToStart'],
  abandoned: ['abandon'],
};

/** A call that has come so far by the changes themselves, and what becomes of it. */
export async function inState({ open }: (typeof worlds)[number], status: CallStatus) {
  const { calls, add, seen } = open();
  const call = await add({ createdAtMs: NOON - HOUR_MS });
  for (const move of WAY[status]) expect(await MOVES[move]?.apply(calls, call)).toBe('applied');
  const found = async () => {
    const now = await calls.find(call);
    if (now === undefined) throw new Error('The call is gone.');
    return now;
  };
  expect(await found()).toMatchObject({ status });
  return { calls, call, found, seen: async () => seen(await found()) };
}
