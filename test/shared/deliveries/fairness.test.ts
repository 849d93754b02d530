import { expect, test } from 'vitest';
import { dispatchMessages } from '../../../shared/deliveries/dispatch-messages.ts';
import type { Attempt } from '../../../shared/webhooks/attempt.ts';
import { dispatchWorld } from '../../support/deliveries/dispatch-world.ts';
import { simulateTime } from '../../support/simulate-time.ts';

const ENDPOINTS = 200;
const HANGING = 20;
/** The deadline of an attempt. */
const TIMEOUT_MS = 10_000;
/** The leads are created over 70 s. In this time, a hanging endpoint times out once (10 s) and rests once (60 s). */
const LEADS = 15;
const LEAD_INTERVAL_MS = 4_700;
/** Equal to `POLL_MS` of `dispatch-messages.ts`, as in a deployment. */
const RUN_INTERVAL_MS = 1_000;

/**
 * Returns the time from each change to the first attempt of its message, in simulated milliseconds. Messages to
 * hanging endpoints are left out.
 */
async function firstAttempts(responseMs: number, hanging: number): Promise<number[]> {
  const world = dispatchWorld();
  const { clock } = world;
  const time = simulateTime(clock);
  const urls = Array.from({ length: ENDPOINTS }, () => world.endpoint().url);
  const isHanging = new Set(urls.slice(0, hanging));
  world.respond = async ({ url }): Promise<Attempt> => {
    const durationMs = isHanging.has(url) ? TIMEOUT_MS : responseMs;
    await time.wait(durationMs);
    if (!isHanging.has(url)) return { outcome: 'responded', status: 204, durationMs };
    return { outcome: 'failed', reason: 'timeout', message: 'no complete response', durationMs };
  };
  const createdMs = new Map<string, number>();
  let isOver = false;
  const visit = async () => {
    for (let lead = 0; lead < LEADS; lead++) {
      createdMs.set(world.create().leadId, clock.ms);
      await time.wait(LEAD_INTERVAL_MS);
    }
    isOver = true;
  };
  const dispatch = async () => {
    while (!isOver) {
      await dispatchMessages({ ...world.portsOf(), sleep: time.wait });
      await time.wait(RUN_INTERVAL_MS);
    }
  };
  await time.run(Promise.all([visit(), dispatch()]));
  const responding = new Set(urls.slice(HANGING));
  return world.arrivals
    .filter(({ url }) => responding.has(url))
    .map(({ atMs, message }) => atMs - (createdMs.get(message.data.leadId) ?? 0));
}

const p95 = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(0.95 * times.length)] ?? 0;

test.each([300, 1_000])(
  'while 20 of 200 endpoints hang, messages to endpoints that respond in %i ms take at most 20 % longer (p95)',
  async (responseMs) => {
    const without = await firstAttempts(responseMs, 0);
    const withHanging = await firstAttempts(responseMs, HANGING);
    expect([without.length, withHanging.length]).toEqual(Array(2).fill(LEADS * (ENDPOINTS - HANGING)));
    expect(p95(withHanging)).toBeLessThanOrEqual(1.2 * p95(without));
  },
);
