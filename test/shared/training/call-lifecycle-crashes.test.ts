import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../support/training/calls.ts';
import { type LifecycleWorld, lifecycleWorld } from '../../support/training/lifecycle.ts';
import {
  createFaultInjector,
  FAULTS,
  type Fault,
  settle,
  violationsOf,
} from '../../support/training/lifecycle-runs.ts';

type Told = { faultAt?: (effect: number) => Fault | undefined; webhook?: 'comes' | 'is lost' };

/** A trainee opens a session, talks, and the provider tells of it once; then nobody but the functions does anything. */
async function life(world: LifecycleWorld, { faultAt = () => undefined, webhook = 'comes' }: Told = {}) {
  const { process, seen } = createFaultInjector(faultAt);
  let opened: { trainingCallId: string } | undefined;
  while (opened === undefined) {
    opened = await world
      .processOf(process())
      .open()
      .catch(() => undefined);
  }
  const call = () => {
    const stored = world.calls.stored.get(opened?.trainingCallId ?? '');
    if (stored === undefined) throw new Error('The call is gone.');
    return stored;
  };
  world.clock.ms += 2 * MINUTE_MS;
  world.provider.end(call().conversationId);
  const receive = () => world.processOf(process()).receive(call().conversationId);
  const received = webhook === 'comes' ? receive() : Promise.reject(new Error('lost'));
  const acknowledged = await received.then(() => true).catch(() => false);
  const rounds = await settle(world, process);
  return { call: call(), acknowledged, rounds, seen };
}

const SIZES = [
  { name: 'in its item', padding: '', transcript: 'json', bucket: ['s3.put'] },
  { name: 'moved to the bucket', padding: 'x'.repeat(110_000), transcript: 'key', bucket: ['s3.put', 's3.put'] },
  {
    name: 'in the bucket at once',
    padding: randomBytes(120_000).toString('base64'),
    transcript: 'key',
    bucket: ['s3.put', 's3.get', 's3.put'],
  },
] as const;

describe.each(SIZES)('a call with its transcript $name', ({ padding, transcript, bucket }) => {
  const world = () => lifecycleWorld({ padding });

  test('becomes ready, with its score and recording, by one webhook and no sweeper', async () => {
    const { call, rounds } = await life(world());
    expect(rounds).toBe(0);
    expect(call).toMatchObject({ status: 'ready', attempts: 0, dueAtMs: undefined });
    expect(call.recordingKey).toMatch(/^recordings\/.+\.mp3$/);
    expect(call.conversation?.transcript).toHaveProperty(transcript);
  });

  const ways = FAULTS.flatMap((fault) => (['comes', 'is lost'] as const).map((webhook) => ({ fault, webhook })));

  test.each(ways)(
    'is ready in the end when its webhook $webhook and any one effect $fault',
    async ({ fault, webhook }) => {
      const { seen } = await life(world(), { webhook });
      expect(seen).toEqual(
        expect.arrayContaining(['calls.add', 'calls.startProcessing', 'lambda.start', 'calls.complete']),
      );
      expect(seen.includes('voice.conversation')).toBe(webhook === 'is lost');
      // One more than the transcript needs: the recording.
      expect(seen.filter((effect) => effect.startsWith('s3.'))).toEqual(bucket);
      for (const [at, effect] of seen.entries()) {
        const lived = world();
        const { call } = await life(lived, { webhook, faultAt: (each) => (each === at ? fault : undefined) });
        const of = `${effect} ${fault}`;
        expect({ of, faults: violationsOf(lived), status: call.status }).toEqual({ of, faults: [], status: 'ready' });
        expect({ of, recorded: call.recordingKey !== null }).toEqual({ of, recorded: true });
        // What was left behind by a session that did not open ends too.
        const others = [...lived.calls.stored.values()].filter((other) => other !== call);
        expect(others.every(({ status }) => status === 'abandoned')).toBe(true);
      }
    },
  );

  test.each([2, 8])('is ready in the end when %i effects in a row are throttled, from any on', async (burst) => {
    const { seen } = await life(world());
    for (const at of seen.keys()) {
      const lived = world();
      const { call } = await life(lived, {
        faultAt: (each) => (each >= at && each < at + burst ? 'is throttled' : undefined),
      });
      expect({ at, faults: violationsOf(lived), status: call.status }).toEqual({ at, faults: [], status: 'ready' });
    }
  });
});

test('whatever goes wrong for a while, a call comes to its end; and acknowledged, never ends abandoned', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 2 }), { maxLength: 120 }),
      fc.constantFrom('available' as const, 'absent' as const, 'invalid' as const),
      fc.constantFrom(true, false, null),
      fc.constantFrom('comes' as const, 'is lost' as const),
      async (faults, recording, hasAudio, webhook) => {
        const world = lifecycleWorld({ hasAudio });
        world.provider.recording = recording;
        const { call, acknowledged } = await life(world, { webhook, faultAt: (effect) => faults[effect] });
        expect(violationsOf(world)).toEqual([]);
        if (acknowledged) expect(['ready', 'failed']).toContain(call.status);
        if (call.status === 'ready' && recording !== 'available') expect(call.recordingKey).toBeNull();
      },
    ),
    { numRuns: 500 },
  ));
