import type { CallOutbox, ScoredCall } from '../training/ports.ts';
import type { EventSource } from './ports.ts';
import { createSingleEvents } from './single-events.ts';
import type { CallSubject } from './subject.ts';

/** The scored calls. */
export const createCallEvents = (outbox: CallOutbox): EventSource<CallSubject> =>
  createSingleEvents(outbox, {
    subjectOf: ({ orgId, callId }) => ({ kind: 'call', orgId, callId }),
    eventOf: (call) => ({ type: 'call.scored', at: call.scoredAt, data: { call: resultOf(call) } }),
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
