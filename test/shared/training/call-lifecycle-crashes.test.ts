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

type CourseOfEvents = { faultAt?: (effect: number) => Fault | undefined; webhook?: 'arrives' | 'is lost' };

/** Opens a session, ends the conversation, sends or loses the webhook, and then runs the analysis and the sweeper. */
async function runCall(world: LifecycleWorld, { faultAt = () => undefined, webhook = 'arrives' }: CourseOfEvents = {}) {
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
    if (stored === undefined) throw new Error('There is no such call.');
    return stored;
  };
  world.clock.ms += 2 * MINUTE_MS;
  world.provider.end(call().conversationId);
  const receive = () => world.processOf(process()).receive(call().conversationId);
  const delivery = webhook === 'arrives' ? receive() : Promise.reject(new Error('lost'));
  const acknowledged = await delivery.then(() => true).catch(() => false);
  const rounds = await settle(world, process);
  return { call: call(), acknowledged, rounds, seen };
}

/** Characters that hardly compress. They are not letters, because the analysis of so many words would take long. */
const noise = (characters: number) =>
  Array.from(randomBytes(characters), (byte) => String.fromCharCode(0x2500 + byte)).join('');

const SIZES = [
  { name: 'stays in the item', padding: '', transcript: 'json', bucket: ['s3.put'] },
  {
    name: 'is moved to the bucket',
    padding: '·'.repeat(55_000),
    transcript: 'key',
    bucket: ['s3.put', 's3.put'],
  },
  {
    name: 'is stored in the bucket',
    padding: noise(80_000),
    transcript: 'key',
    bucket: ['s3.put', 's3.get', 's3.put'],
  },
] as const;

describe.each(SIZES)('a call whose transcript $name', ({ padding, transcript, bucket }) => {
  const world = () => lifecycleWorld({ padding });

  test('becomes ready with its recording after one webhook, without the sweeper', async () => {
    const { call, rounds } = await runCall(world());
    expect(rounds).toBe(0);
    expect(call).toMatchObject({ status: 'ready', sweeperAttempts: 0, dueAtMs: undefined });
    expect(call.recordingKey).toMatch(/^recordings\/.+\.mp3$/);
    expect(call.conversation?.transcript).toHaveProperty(transcript);
  });

  const cases = FAULTS.flatMap((fault) => (['arrives', 'is lost'] as const).map((webhook) => ({ fault, webhook })));

  test.each(cases)(
    'becomes ready with the fault “$fault” at any one invocation of a port (its webhook $webhook)',
    async ({ fault, webhook }) => {
      const { seen } = await runCall(world(), { webhook });
      expect(seen).toEqual(
        expect.arrayContaining([
          'calls.add',
          'calls.moveToProcessing',
          'lambda.invokeProcessCall',
          'calls.moveToReady',
        ]),
      );
      expect(seen.includes('voice.readConversation')).toBe(webhook === 'is lost');
      // `bucket` includes the `s3.put` that stores the recording.
      expect(seen.filter((effect) => effect.startsWith('s3.'))).toEqual(bucket);
      for (const [at, effect] of seen.entries()) {
        const faulty = world();
        const { call } = await runCall(faulty, { webhook, faultAt: (each) => (each === at ? fault : undefined) });
        const of = `${effect} ${fault}`;
        expect({ of, violations: violationsOf(faulty), status: call.status }).toEqual({
          of,
          violations: [],
          status: 'ready',
        });
        expect({ of, recorded: call.recordingKey !== null }).toEqual({ of, recorded: true });
        // A failed attempt to open the session can leave another call.
        const others = [...faulty.calls.stored.values()].filter((other) => other !== call);
        expect(others.every(({ status }) => status === 'abandoned')).toBe(true);
      }
    },
  );

  test.each([2, 8])('becomes ready if any %i consecutive invocations of ports are throttled', async (burst) => {
    const { seen } = await runCall(world());
    for (const at of seen.keys()) {
      const faulty = world();
      const { call } = await runCall(faulty, {
        faultAt: (each) => (each >= at && each < at + burst ? 'is throttled' : undefined),
      });
      expect({ at, violations: violationsOf(faulty), status: call.status }).toEqual({
        at,
        violations: [],
        status: 'ready',
      });
    }
  });
});

test('for any faults, a call ends as ready, failed or abandoned; a call with an acknowledged webhook is never abandoned', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 2 }), { maxLength: 120 }),
      fc.constantFrom('available' as const, 'absent' as const, 'invalid' as const),
      fc.constantFrom(true, false, null),
      fc.constantFrom('arrives' as const, 'is lost' as const),
      async (faults, recording, hasAudio, webhook) => {
        const world = lifecycleWorld({ hasAudio });
        world.provider.recording = recording;
        const { call, acknowledged } = await runCall(world, { webhook, faultAt: (effect) => faults[effect] });
        expect(violationsOf(world)).toEqual([]);
        if (acknowledged) expect(['ready', 'failed']).toContain(call.status);
        if (call.status === 'ready' && recording !== 'available') expect(call.recordingKey).toBeNull();
      },
    ),
    { numRuns: 500 },
  ));
