import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completeErasures, erasureWorld, remainsOf } from '../../support/training/erasures.ts';
import { createFaultInjector, FAULTS, settle } from '../../support/training/lifecycle-runs.ts';

const RUNS = 300;
const ACTIONS = ['webhook', 'second webhook', 'sweeper', 'analysis', 'second erasure', 'daily run'] as const;

const scenario = fc.record({
  actions: fc.shuffledSubarray([...ACTIONS], { minLength: 1 }),
  faults: fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 9 }), { maxLength: 60 }),
  status: fc.constantFrom('ready' as const, 'failed' as const, 'abandoned' as const),
  waitsForRecording: fc.boolean(),
});

/**
 * With this padding, the handler of the webhook stores the transcript in the bucket, and changes the call afterwards.
 * In between, the call can be erased.
 */
const PADDING = randomBytes(120_000).toString('base64');

test(`in ${RUNS} interleavings with webhooks, sweepers, analyses and faults, a repeated erasure leaves nothing of a call`, async () => {
  const writtenLate = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), scenario, async (scheduler, { actions, faults, status, waitsForRecording }) => {
      const world = erasureWorld({ padding: PADDING });
      const dueAtMs = status === 'ready' && waitsForRecording ? world.clock.ms : undefined;
      const call = world.addReady({ status, dueAtMs });
      const { process } = createFaultInjector((effect) => faults[effect]);
      const nextStep = () => scheduler.schedule(Promise.resolve());
      const scheduled = () => {
        const around = process();
        return <T>(effect: string, work: () => Promise<T>) => around(effect, () => nextStep().then(work));
      };
      const receive = () => world.processOf(scheduled()).receive(call.conversationId);
      const run: Record<(typeof ACTIONS)[number], () => Promise<unknown>> = {
        webhook: receive,
        'second webhook': receive,
        sweeper: () => world.processOf(scheduled()).sweep(),
        analysis: () => world.processOf(scheduled()).analyse(call),
        'second erasure': () => world.erase(call, scheduled()),
        'daily run': () => world.sweepErasures(scheduled()),
      };
      const all = [world.erase(call, scheduled()), ...actions.map((action) => run[action]())];
      await scheduler.waitFor(Promise.allSettled(all));
      const [objects] = remainsOf(world, call).filter((remains) => remains.startsWith('transcripts/'));
      if (objects !== undefined && !world.calls.stored.has(call.callId)) writtenLate.add('transcript');
      // The functions complete the work that was begun. After that, the operator repeats the erasure.
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
  // Some runs wrote a transcript after the erasure. Only the daily run deletes such a transcript.
  expect([...writtenLate]).toEqual(['transcript']);
});
