import type { CallOutbox, ScoredCall } from '../training/ports.ts';
import type { EventSource } from './ports.ts';
import { createSingleEvents } from './single-events.ts';
import type { CallSubject } from './subject.ts';

export const createCallEvents = (outbox: CallOutbox): EventSource<CallSubject> =>
  createSingleEvents(outbox, {
    subjectOf: ({ orgId, callId }) => ({ kind: 'call', orgId, callId }),
    eventOf: (call) => ({ type: 'call.scored', at: call.scoredAt, data: { call: resultOf(call) } }),
  });

/** Omits the reasons of the score, because they can quote the transcript. */
const resultOf = ({ score, ...call }: ScoredCall) => ({
  ...call,
  status: 'ready',
  score: {
    total: score.total,
    criteria: score.criteria.map(({ id, label, score: points, max }) => ({ id, label, score: points, max })),
  },
});
