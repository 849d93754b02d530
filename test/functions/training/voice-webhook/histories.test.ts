import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallStatus } from '../../../../shared/training/call.ts';
import { HOUR_MS, type MemoryCall } from '../../../support/training/calls.ts';
import {
  aTurn,
  audio,
  initiationFailure,
  setUpWebhook,
  transcription,
  unknownType,
} from '../../../support/training/voice-webhook.ts';

/** The events that can arrive for a call. `version`, 0 or 1, selects the text of the transcript. */
const EVENTS = {
  ended: (id: string, version: number) =>
    transcription(id, { transcript: [aTurn({ message: `Version ${version}.` })], status: 'done' }),
  failedLate: (id: string, version: number) =>
    transcription(id, { transcript: [aTurn({ message: `Version ${version}.` })], status: 'failed' }),
  failedEarly: (id: string) => transcription(id, { transcript: [aTurn({ role: 'agent' })], status: 'failed' }),
  inProgress: (id: string) => transcription(id, { status: 'in-progress' }),
  busy: (id: string) => initiationFailure(id, 'busy'),
  noAnswer: (id: string) => initiationFailure(id, 'no-answer'),
  audio,
  unknownType,
};
type EventName = keyof typeof EVENTS;
const names = Object.keys(EVENTS) as EventName[];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      call: fc.nat(2),
      event: fc.constantFrom(...names),
      version: fc.nat(1),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ call: fc.nat(2), passes: fc.constantFrom('abandon' as const, 'complete' as const) }),
  },
);

/** The status of a call after an event, by its status before. If a status has no entry, the event changes nothing. */
const STARTS: Partial<Record<CallStatus, CallStatus>> = { pending: 'processing', abandoned: 'processing' };
const FAILS: Partial<Record<CallStatus, CallStatus>> = { pending: 'failed' };
const TABLE: Record<EventName | 'abandon' | 'complete', Partial<Record<CallStatus, CallStatus>>> = {
  ended: STARTS,
  failedLate: STARTS,
  failedEarly: FAILS,
  busy: FAILS,
  noAnswer: FAILS,
  inProgress: {},
  audio: {},
  unknownType: {},
  abandon: { pending: 'abandoned' },
  complete: { processing: 'ready' },
};

type Modelled = { status: CallStatus; analyses: number; version: number | undefined; changes: number };

function applyToModel(model: Modelled, name: EventName | 'abandon' | 'complete', version: number): void {
  // A redelivered event invokes the analysis again. The first process may have failed between storing the transition
  // and invoking the analysis.
  if (TABLE[name] === STARTS && model.status === 'processing') model.analyses++;
  const next = TABLE[name][model.status];
  if (next === undefined) return;
  model.status = next;
  model.changes++;
  if (next !== 'processing') return;
  model.analyses++;
  model.version = version;
}

const versionIn = ({ conversation }: MemoryCall): number | undefined => {
  const { json = '' } = (conversation?.transcript ?? {}) as { json?: string };
  return json === '' ? undefined : Number(/Version (\d)/.exec(json)?.[1]);
};

test('events in any order, repeated and concurrent, change a call only as the state machine allows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (history) => {
      const { aCall, post, at, calls, invoked, clock } = setUpWebhook();
      const stored = [aCall(), aCall(), aCall()];
      const models = stored.map((): Modelled => ({ status: 'pending', analyses: 0, version: undefined, changes: 0 }));
      for (const entry of history) {
        clock.ms += HOUR_MS;
        const call = stored[entry.call] ?? aCall();
        const model = models[entry.call];
        if (model === undefined) continue;
        if ('passes' in entry) {
          const result = { analysis: {} as never, score: {} as never, recordingKey: null, dueAtMs: undefined };
          await (entry.passes === 'abandon' ? calls.abandon(call) : calls.moveToReady(call, result));
          applyToModel(model, entry.passes, 0);
          continue;
        }
        const { event, version, times } = entry;
        const before = at(call);
        const changes = model.changes;
        const bodies = Array.from({ length: times }, () => EVENTS[event](call.conversationId, version));
        const responses = await Promise.all(bodies.map((body) => post(body)));
        expect(responses.map(({ status }) => status)).toEqual(bodies.map(() => 200));
        for (const _ of bodies) applyToModel(model, event, version);
        if (model.changes === changes) expect(at(call)).toBe(before);
      }
      for (const [index, call] of stored.entries()) {
        const now = at(call);
        const analyses = invoked.filter(({ callId }) => callId === call.callId).length;
        expect({ ...models[index], changes: 0 }).toEqual({
          status: now?.status,
          analyses,
          version: now && versionIn(now),
          changes: 0,
        });
      }
    }),
    { numRuns: 1_000 },
  );
});
