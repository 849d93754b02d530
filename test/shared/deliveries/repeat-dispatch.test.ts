import { describe, expect, test } from 'vitest';
import { dispatchMessages } from '../../../shared/deliveries/dispatch-messages.ts';
import { repeatDispatch } from '../../../shared/deliveries/repeat-dispatch.ts';
import type { Attempt } from '../../../shared/webhooks/attempt.ts';
import { type DispatchWorld, dispatchWorld } from '../../support/deliveries/dispatch-world.ts';
import { simulateTime } from '../../support/simulate-time.ts';
import type { Around } from '../../support/training/lifecycle.ts';
import { NOON } from '../../support/webhooks/endpoints.ts';

const MINUTE_MS = 60_000;

/** Executes `repeatDispatch` once, with runs that take `runMs`. Times are in milliseconds since the start. */
async function execution(runMs: number, dispatch: (run: number) => Promise<void> = async () => undefined) {
  const clock = { ms: NOON, now: () => clock.ms };
  const time = simulateTime(clock);
  const runs: { startMs: number; endMs: number }[] = [];
  const repeated = repeatDispatch({
    invokeDispatcher: async ({ endMs }) => {
      runs.push({ startMs: clock.ms - NOON, endMs: endMs - NOON });
      await time.wait(runMs);
      await dispatch(runs.length);
    },
    clock,
    sleep: time.wait,
  });
  const ended = repeated.then(
    () => undefined,
    (error: unknown) => error,
  );
  await time.run(ended);
  return { runs, error: await ended, durationMs: clock.ms - NOON };
}

test('repeatDispatch starts a run every three seconds for a minute, and lets each run work until the minute ends', async () => {
  const { runs, error, durationMs } = await execution(100);
  expect(runs).toEqual(Array.from({ length: 20 }, (_, run) => ({ startMs: 3_000 * run, endMs: MINUTE_MS })));
  expect([error, durationMs]).toEqual([undefined, MINUTE_MS]);
});

test('if a run takes more than three seconds, repeatDispatch starts the next run directly after it', async () => {
  const { runs } = await execution(25_000);
  expect(runs.map(({ startMs }) => startMs)).toEqual([0, 25_000, 50_000]);
});

test('if a run cannot be started, repeatDispatch starts the following runs, and throws the error at the end', async () => {
  const { runs, error } = await execution(100, async (run) => {
    if (run === 2) throw new Error('no response from Lambda');
  });
  expect(runs).toHaveLength(20);
  expect(error).toEqual(new Error('no response from Lambda'));
});

describe('in a deployment, the first attempt begins within 5 s after a message is due (p95)', () => {
  /** Simulated duration of each effect, about the duration of a request to DynamoDB. */
  const EFFECT_MS = 5;
  const LAG_MS = 500;
  const START_LATE_MS = 2_000;
  const MINUTES = 12;
  const CHANGE_INTERVAL_MS = 1_700;
  const RESPONSE_MS = 300;

  /** Returns one function for each kind of change, and the due time of each message by type and id. */
  function plan(world: DispatchWorld) {
    const dueMs = new Map<string, number>();
    const due = (type: string, id: string, delayMs = 0) => dueMs.set(`${type} ${id}`, world.clock.ms + delayMs);
    const leads: ReturnType<DispatchWorld['create']>[] = [];
    const changes = [
      () => {
        const lead = world.create();
        leads.push(lead);
        due('lead.created', lead.leadId);
      },
      () => void due('call.scored', world.score().callId),
      () => void due('domain.active', world.activate().domainId),
      ...['lead.updated', 'lead.verified', 'lead.completed', 'lead.erased'].map((type) => async () => {
        // Changes a lead only long after its creation. Otherwise, one message could contain creation and change.
        const lead = leads.length > 12 ? leads.shift() : undefined;
        if (lead === undefined) return;
        due(type, lead.leadId, type === 'lead.updated' ? MINUTE_MS : 0);
        if (type === 'lead.updated') world.update(lead, { name: '"Ada"' });
        else if (type === 'lead.verified') world.verify(lead, 'email');
        else if (type === 'lead.completed') world.complete(lead);
        else await world.erase(lead);
      }),
    ];
    return { dueMs, changes };
  }

  async function delays(isStrange: (url: string) => Attempt | undefined, strange: number) {
    const world = dispatchWorld({ lagMs: () => LAG_MS });
    const { clock } = world;
    const time = simulateTime(clock);
    const eventTypes = [
      ...(['lead.created', 'lead.updated', 'lead.verified', 'lead.completed', 'lead.erased'] as const),
      ...(['call.scored', 'domain.active'] as const),
    ];
    const healthy = world.endpoint({ eventTypes });
    for (let count = 0; count < strange; count++) world.endpoint({ eventTypes });
    world.respond = async ({ url }): Promise<Attempt> => {
      const attempt = url === healthy.url ? undefined : isStrange(url);
      await time.wait(attempt?.durationMs ?? RESPONSE_MS);
      return attempt ?? { outcome: 'responded', status: 204, durationMs: RESPONSE_MS };
    };
    const { dueMs, changes } = plan(world);
    const endMs = NOON + MINUTES * MINUTE_MS;
    const change = async () => {
      for (let index = 0; clock.ms < endMs - 2 * MINUTE_MS; index++) {
        // Creates a lead in every second step. The other steps make the other kinds of change, in turn.
        await changes[index % 2 === 0 ? 0 : 1 + ((index >> 1) % (changes.length - 1))]?.();
        await time.wait(CHANGE_INTERVAL_MS);
      }
    };
    const around: Around = async (_effect, work) => {
      await time.wait(EFFECT_MS);
      return work();
    };
    const ports = { ...world.portsOf(around), sleep: time.wait };
    const executions: Promise<void>[] = [];
    const schedule = async () => {
      for (let minute = 0; minute < MINUTES; minute++) {
        await time.wait(Math.max(0, NOON + minute * MINUTE_MS + (minute % 2) * START_LATE_MS - clock.ms));
        executions.push(
          repeatDispatch({ invokeDispatcher: (end) => dispatchMessages(ports, end), clock, sleep: time.wait }),
        );
      }
      await Promise.all(executions);
    };
    await time.run(Promise.all([change(), schedule()]));
    const firstMs = new Map<string, number>();
    for (const { url, message, atMs } of world.arrivals.toReversed()) {
      const { leadId, callId, domainId } = message.data;
      if (url === healthy.url) firstMs.set(`${message.type} ${leadId ?? callId ?? domainId}`, atMs);
    }
    const found = [...dueMs].map(([name, due]) => ({
      type: name.split(' ')[0] ?? '',
      delayMs: (firstMs.get(name) ?? Number.POSITIVE_INFINITY) - due,
    }));
    return Map.groupBy(found, ({ type }) => type);
  }

  const TIMEOUT: Attempt = {
    outcome: 'failed',
    reason: 'timeout',
    message: 'no complete response',
    durationMs: 10_000,
  };
  const SLOW: Attempt = { outcome: 'responded', status: 204, durationMs: 9_900 };

  test.each<[string, Attempt | undefined, number]>([
    ['with one endpoint', undefined, 0],
    ['beside nine endpoints of the organization that do not respond', TIMEOUT, 9],
    ['beside nine endpoints of the organization that accept after almost ten seconds', SLOW, 9],
  ])('%s, for every type of message', async (_, attempt, strange) => {
    const byType = await delays(() => attempt, strange);
    expect(byType.size).toBe(7);
    for (const [type, of] of byType) {
      const sorted = of.map(({ delayMs }) => delayMs).sort((one, other) => one - other);
      expect(sorted.length, type).toBeGreaterThanOrEqual(15);
      expect(sorted[Math.floor(0.95 * sorted.length)], type).toBeLessThan(5_000);
      expect(sorted.at(-1), type).toBeLessThan(15_000);
    }
  });
});
