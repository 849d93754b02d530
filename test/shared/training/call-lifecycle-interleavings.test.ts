import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aCall, aConversation, HOUR_MS, MINUTE_MS } from '../../support/training/calls.ts';
import { lifecycleWorld } from '../../support/training/lifecycle.ts';
import { createFaultInjector, FAULTS, settle, violationsOf } from '../../support/training/lifecycle-runs.ts';

const RUNS = 1_000;

/** What may go on at the same time, each in a process of its own. */
const ACTIONS = [
  'webhook',
  'webhook again',
  'refusal',
  'sweeper',
  'second sweeper',
  'analyser',
  'second analyser',
] as const;

const story = fc.record({
  actions: fc.shuffledSubarray([...ACTIONS], { minLength: 2 }),
  jumps: fc.array(fc.integer({ min: -10 * MINUTE_MS, max: 8 * HOUR_MS }), { maxLength: 4 }),
  faults: fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 9 }), { maxLength: 60 }),
  recording: fc.constantFrom('available' as const, 'absent' as const, 'invalid' as const),
  status: fc.constantFrom('pending' as const, 'abandoned' as const),
  ended: fc.boolean(),
  ageMs: fc.integer({ min: 0, max: 30 * HOUR_MS }),
});

test(`${RUNS} interleavings of webhooks, sweepers, analysers, faults and jumps of the clock all come to an allowed end`, async () => {
  const ends = new Set<string | undefined>();
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), story, async (scheduler, { actions, jumps, faults, ended, ...told }) => {
      const world = lifecycleWorld();
      const { clock, calls, provider } = world;
      provider.recording = told.recording;
      const createdAtMs = clock.ms - told.ageMs;
      const dueAtMs = told.status === 'pending' ? createdAtMs : undefined;
      const ids = calls.add(aCall({ createdAtMs, dueAtMs, status: told.status }));
      if (ended) provider.end(ids.conversationId);
      const { process } = createFaultInjector((effect) => faults[effect]);
      // Every effect waits until the scheduler lets it happen.
      const processOf = () => {
        const around = process();
        return world.processOf((effect, work) => around(effect, () => turn().then(work)));
      };
      let acknowledged = false;
      const acknowledge = async (work: Promise<unknown>) => {
        await work;
        acknowledged = true;
      };
      const turn = () => scheduler.schedule(Promise.resolve());
      const jump = async (ms: number) => {
        await turn();
        clock.ms += ms;
      };
      const often = async (work: () => Promise<unknown>) => {
        for (let time = 0; time < 3; time++) await work().catch(() => undefined);
      };
      const run: Record<(typeof ACTIONS)[number], () => Promise<unknown>> = {
        webhook: () => acknowledge(processOf().receive(ids.conversationId)),
        'webhook again': () =>
          acknowledge(turn().then(() => calls.startProcessing(ids, aConversation(), clock.ms + 15 * MINUTE_MS))),
        refusal: () => turn().then(() => calls.failToStart(ids, 'It could not start.')),
        sweeper: () => often(() => processOf().sweep()),
        'second sweeper': () => often(() => processOf().sweep()),
        analyser: () => often(() => processOf().analyse(ids)),
        'second analyser': () => often(() => processOf().analyse(ids)),
      };
      const jumped = jumps.map(jump);
      const all = actions.map((action) => run[action]().catch(() => undefined));
      await scheduler.waitFor(Promise.all([...all, ...jumped]));
      await settle(world);
      expect(violationsOf(world)).toEqual([]);
      const { status, recordingKey } = calls.stored.get(ids.callId) ?? {};
      ends.add(status).add(recordingKey ? 'recorded' : status);
      if (acknowledged) expect(['ready', 'failed']).toContain(status);
      if (acknowledged && !actions.includes('refusal')) expect(status).toBe('ready');
    }),
    { numRuns: RUNS },
  );
  expect([...ends].toSorted()).toEqual(['abandoned', 'failed', 'ready', 'recorded']);
});
