import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completeErasures, erasureWorld, remainsOf } from '../../support/training/erasures.ts';
import { createFaultInjector, FAULTS, settle } from '../../support/training/lifecycle-runs.ts';

const RUNS = 300;
const ACTIONS = ['webhook', 'webhook again', 'sweeper', 'analyser', 'second erasure', 'daily run'] as const;

const story = fc.record({
  actions: fc.shuffledSubarray([...ACTIONS], { minLength: 1 }),
  faults: fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 9 }), { maxLength: 60 }),
  status: fc.constantFrom('ready' as const, 'failed' as const, 'abandoned' as const),
  waitsForRecording: fc.boolean(),
});

/** So large that a webhook puts it into the bucket before it knows of what call it is. */
const PADDING = randomBytes(120_000).toString('base64');

test(`${RUNS} interleavings of an erasure with webhooks, sweepers, analysers and faults leave nothing of a call`, async () => {
  const late = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), story, async (scheduler, { actions, faults, status, waitsForRecording }) => {
      const world = erasureWorld({ padding: PADDING });
      const dueAtMs = status === 'ready' && waitsForRecording ? world.clock.ms : undefined;
      const call = world.addReady({ status, dueAtMs });
      const { process } = createFaultInjector((effect) => faults[effect]);
      const turn = () => scheduler.schedule(Promise.resolve());
      const inTurn = () => {
        const around = process();
        return <T>(effect: string, work: () => Promise<T>) => around(effect, () => turn().then(work));
      };
      const receive = () => world.processOf(inTurn()).receive(call.conversationId);
      const run: Record<(typeof ACTIONS)[number], () => Promise<unknown>> = {
        webhook: receive,
        'webhook again': receive,
        sweeper: () => world.processOf(inTurn()).sweep(),
        analyser: () => world.processOf(inTurn()).analyse(call),
        'second erasure': () => world.erase(call, inTurn()),
        'daily run': () => world.sweepErasures(inTurn()),
      };
      const all = [world.erase(call, inTurn()), ...actions.map((action) => run[action]())];
      await scheduler.waitFor(Promise.allSettled(all));
      const [objects] = remainsOf(world, call).filter((left) => left.startsWith('transcripts/'));
      if (objects !== undefined && !world.calls.stored.has(call.callId)) late.add('a transcript');
      // What goes on by itself comes to its end; then whoever asked asks again, as they were told or not.
      await settle(world);
      await completeErasures(world);
      await world.erase(call);
      await completeErasures(world);
      expect(remainsOf(world, call)).toEqual([]);
      await world.processOf().receive(call.conversationId);
      expect(remainsOf(world, call)).toEqual([]);
      expect(world.counts.get('VoiceConversationsUnknown')).toBeGreaterThan(0);
    }),
    { numRuns: RUNS },
  );
  // Without the second look, this would stay for ever.
  expect([...late]).toEqual(['a transcript']);
});
