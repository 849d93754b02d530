import type { CallOutbox, ScoredCall } from '../training/ports.ts';
import type { EventSource } from './ports.ts';
import { nextOfSingle, ONLY_SEQ } from './single-message.ts';
import type { CallSubject } from './subject.ts';

/** The scored calls. Nothing is sent about a call that was erased. */
export const createCallEvents = (outbox: CallOutbox): EventSource<CallSubject> => ({
  shardCount: 1,
  listDue: async (_shard, nowMs, limit) => {
    const { calls, isLast } = await outbox.listDue(nowMs, limit);
    return { due: calls.map(({ dueAt, ...ids }) => ({ subject: { kind: 'call', ...ids }, dueAt })), isLast };
  },
  read: async (subject) => {
    const found = await outbox.read(subject);
    return found?.isInOutbox ? { seq: ONLY_SEQ, orgId: subject.orgId, close: () => outbox.clear(subject) } : undefined;
  },
  next: async (lane, endpoint) => {
    const { orgId, callId } = lane.subject;
    const found = await outbox.read({ orgId, callId });
    if (found === undefined) return 'end';
    const { scoredAt } = found.call;
    return nextOfSingle(lane, endpoint, {
      ...{ type: 'call.scored', at: scoredAt },
      ...{ ids: { orgId, callId }, data: { call: resultOf(found.call) } },
    });
  },
});

/** Nothing that was said: the reasons of a score can quote the transcript. */
const resultOf = ({ score, ...call }: ScoredCall) => ({
  ...call,
  status: 'ready',
  score: {
    total: score.total,
    criteria: score.criteria.map(({ id, label, score: points, max }) => ({ id, label, score: points, max })),
  },
});
