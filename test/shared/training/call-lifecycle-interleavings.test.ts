import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aCall, aConversation, HOUR_MS, MINUTE_MS } from '../../support/training/calls.ts';
import { lifecycleWorld } from '../../support/training/lifecycle.ts';
import { createFaultInjector, FAULTS, settle, violationsOf } from '../../support/training/lifecycle-runs.ts';

const RUNS = 1_000;

const ACTIONS = [
  'webhook',
  'second webhook',
  'failed start',
  'sweeper',
  'second sweeper',
  'analysis',
  'second analysis',
] as const;

const scenario = fc.record({
  actions: fc.shuffledSubarray([...ACTIONS], { minLength: 2 }),
  clockChanges: fc.array(fc.integer({ min: -10 * MINUTE_MS, max: 8 * HOUR_MS }), { maxLength: 4 }),
  faults: fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 9 }), { maxLength: 60 }),
  recording: fc.constantFrom('available' as const, 'absent' as const, 'invalid' as const),
  status: fc.constantFrom('pending' as const, 'abandoned' as const),
  ended: fc.boolean(),
  ageMs: fc.integer({ min: 0, max: 30 * HOUR_MS }),
});

test(`${RUNS} random interleavings of webhooks, sweepers, analyses, faults and clock changes end in an allowed state`, async () => {
  const ends = new Set<string | undefined>();
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      scenario,
      async (scheduler, { actions, clockChanges, faults, ended, ...options }) => {
        const world = lifecycleWorld();
        const { clock, calls, provider } = world;
        provider.recording = options.recording;
        const createdAtMs = clock.ms - options.ageMs;
        const dueAtMs = options.status === 'pending' ? createdAtMs : undefined;
        const ids = calls.add(aCall({ createdAtMs, dueAtMs, status: options.status }));
        if (ended) provider.end(ids.conversationId);
        const { process } = createFaultInjector((effect) => faults[effect]);
        // Every effect waits for the scheduler.
        const processOf = () => {
          const around = process();
          return world.processOf((effect, work) => around(effect, () => nextStep().then(work)));
        };
        let acknowledged = false;
        const acknowledge = async (work: Promise<unknown>) => {
          await work;
          acknowledged = true;
        };
        const nextStep = () => scheduler.schedule(Promise.resolve());
        const moveClock = async (ms: number) => {
          await nextStep();
          clock.ms += ms;
        };
        const repeat = async (work: () => Promise<unknown>) => {
          for (let time = 0; time < 3; time++) await work().catch(() => undefined);
        };
        const run: Record<(typeof ACTIONS)[number], () => Promise<unknown>> = {
          webhook: () => acknowledge(processOf().receive(ids.conversationId)),
          'second webhook': () =>
            acknowledge(nextStep().then(() => calls.moveToProcessing(ids, aConversation(), clock.ms + 15 * MINUTE_MS))),
          'failed start': () => nextStep().then(() => calls.failPending(ids, 'It could not start.')),
          sweeper: () => repeat(() => processOf().sweep()),
          'second sweeper': () => repeat(() => processOf().sweep()),
          analysis: () => repeat(() => processOf().analyse(ids)),
          'second analysis': () => repeat(() => processOf().analyse(ids)),
        };
        const clockMoves = clockChanges.map(moveClock);
        const all = actions.map((action) => run[action]().catch(() => undefined));
        await scheduler.waitFor(Promise.all([...all, ...clockMoves]));
        await settle(world);
        expect(violationsOf(world)).toEqual([]);
        const { status, recordingKey } = calls.stored.get(ids.callId) ?? {};
        ends.add(status).add(recordingKey ? 'recorded' : status);
        if (acknowledged) expect(['ready', 'failed']).toContain(status);
        if (acknowledged && !actions.includes('failed start')) expect(status).toBe('ready');
      },
    ),
    { numRuns: RUNS },
  );
  expect([...ends].toSorted()).toEqual(['abandoned', 'failed', 'ready', 'recorded']);
});
