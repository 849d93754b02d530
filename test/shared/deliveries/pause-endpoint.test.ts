import { describe, expect, test } from 'vitest';
import { PARKED_AT } from '../../../shared/deliveries/lane.ts';
import type { Attempt } from '../../../shared/webhooks/attempt.ts';
import { dispatchWorld, ORG } from '../../support/deliveries/dispatch-world.ts';
import { isoAt, NOON } from '../../support/webhooks/endpoints.ts';

const HOUR_MS = 3_600_000;
const FAILED: Attempt = { outcome: 'responded', status: 500, durationMs: 5 };
const ACCEPTED: Attempt = { outcome: 'responded', status: 204, durationMs: 5 };

/** Runs the dispatcher whenever something is due, until this time. */
async function runUntil(world: ReturnType<typeof dispatchWorld>, endMs: number): Promise<void> {
  for (;;) {
    await world.run();
    const next = [...world.storedStates.values()].flatMap(({ dueAt }) => dueAt ?? []).sort()[0];
    if (next === undefined || Date.parse(next) >= endMs) break;
    world.clock.ms = Math.max(world.clock.ms + 1_000, Date.parse(next));
  }
  world.clock.ms = endMs;
  await world.run();
}

/** An endpoint that was paused after 72 hours of failures. */
async function pausedWorld() {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  world.respond = async () => FAILED;
  const key = world.create({ name: '"Ada"' });
  await runUntil(world, NOON + 72 * HOUR_MS);
  return { world, endpoint, key };
}

test('an endpoint is paused after three days of failures, and its organization is notified once', async () => {
  const { world, endpoint } = await pausedWorld();
  const pause = { failingSince: isoAt(NOON), pausedAt: isoAt(NOON + 72 * HOUR_MS) };
  expect(world.endpoints.get(endpoint.id)).toMatchObject({ ...pause, isEnabled: true });
  expect(world.pauses).toEqual([{ orgId: ORG, endpointId: endpoint.id, url: endpoint.url, ...pause }]);
  const before = world.arrivals.length;
  world.create();
  await world.settle();
  expect(world.arrivals).toHaveLength(before);
  expect(world.pauses).toHaveLength(1);
});

test('the lanes of a paused endpoint contain no payload, and the message in flight gets the status failed', async () => {
  const { world } = await pausedWorld();
  world.create({ name: '"Bob"' });
  await world.settle();
  expect([...world.lanes.values()]).toMatchObject([
    { inFlight: undefined, nextAt: PARKED_AT },
    { inFlight: undefined, nextAt: PARKED_AT },
  ]);
  expect(JSON.stringify([...world.lanes.values()])).not.toMatch(/Ada|Bob/);
  expect([...world.deliveries.stored.values()].map(({ status }) => status)).toEqual(['failed']);
});

test('a resumed endpoint gets missed messages once, with the current lead; of an erased lead, only lead.erased', async () => {
  const { world, endpoint, key } = await pausedWorld();
  const before = world.arrivals.length;
  world.update(key, { name: '"Ada B."' });
  world.verify(key, 'email');
  const erased = world.create();
  await world.settle();
  await world.erase(erased);
  await world.settle();
  world.respond = async () => ACCEPTED;
  await world.resume(endpoint.id);
  await world.settle();
  expect(world.typesAt(endpoint).slice(before).sort()).toEqual(['lead.created 3', 'lead.erased 2', 'lead.verified 3']);
  expect(world.endpoints.get(endpoint.id)).toMatchObject({ pausedAt: null, failingSince: null });
  await world.settle();
  expect(world.arrivals).toHaveLength(before + 3);
});

test('if a process crashes between resuming and waking an endpoint, the next new lead wakes the endpoint', async () => {
  const { world, endpoint } = await pausedWorld();
  await world.settle();
  expect(world.storedStates.get(endpoint.id)).toMatchObject({ isPaused: true });
  const before = world.arrivals.length;
  world.respond = async () => ACCEPTED;
  world.changeEndpoint(endpoint.id, { pausedAt: null, failingSince: null });
  world.create();
  await world.settle();
  expect(world.typesAt(endpoint).slice(before)).toEqual(['lead.created 1', 'lead.created 1']);
});

test('a resumed endpoint that still fails is paused again after another 72 hours', async () => {
  const { world, endpoint } = await pausedWorld();
  await world.resume(endpoint.id);
  await runUntil(world, world.clock.ms + 71 * HOUR_MS);
  expect(world.endpoints.get(endpoint.id)?.pausedAt).toBeNull();
  await runUntil(world, world.clock.ms + HOUR_MS);
  expect(world.endpoints.get(endpoint.id)?.pausedAt).toBe(isoAt(NOON + 144 * HOUR_MS));
});

test('an endpoint that accepts one message in three days is not paused', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const poison = world.create();
  world.respond = async ({ message }) => (message.data.leadId === poison.leadId ? FAILED : ACCEPTED);
  await runUntil(world, NOON + 40 * HOUR_MS);
  world.create();
  await runUntil(world, NOON + 80 * HOUR_MS);
  expect(world.endpoints.get(endpoint.id)?.pausedAt).toBeNull();
  expect(world.pauses).toEqual([]);
});

test('two failures three days apart do not pause an endpoint', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint({ eventTypes: ['lead.created'] });
  world.respond = async () => FAILED;
  const key = world.create();
  await world.run();
  await world.erase(key);
  await world.settle();
  world.clock.ms = NOON + 73 * HOUR_MS;
  world.create();
  await world.run();
  expect(world.endpoints.get(endpoint.id)?.pausedAt).toBeNull();
});

test('if the notification or the storage of a pause fails, the endpoint is not paused, and a later run tries both again', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  world.respond = async () => FAILED;
  world.create();
  await runUntil(world, NOON + 72 * HOUR_MS - 1);
  world.clock.ms = NOON + 72 * HOUR_MS;
  const down = () => Promise.reject(new Error('down'));
  expect(await world.run((effect, work) => (effect === 'notifyPaused' ? down() : work()))).toEqual({ error: 1 });
  expect(world.endpoints.get(endpoint.id)?.pausedAt).toBeNull();
  await world.run((effect, work) => (effect === 'endpoints.update' ? down() : work()));
  world.clock.ms += 60_000;
  await world.run((effect, work) => (effect === 'endpoints.update' ? down() : work()));
  world.clock.ms += 60_000;
  await world.run();
  expect(world.endpoints.get(endpoint.id)?.pausedAt).toBe(isoAt(world.clock.ms));
  expect(world.pauses).toHaveLength(2);
});

describe('the hourly check of a paused endpoint', () => {
  async function paused() {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    const keys = [world.create(), world.create()];
    world.changeEndpoint(endpoint.id, { pausedAt: isoAt(NOON), failingSince: isoAt(NOON) });
    await world.settle();
    expect(world.arrivals).toEqual([]);
    return { world, endpoint, keys };
  }

  test('sends the messages if the endpoint was resumed but not woken', async () => {
    const { world, endpoint, keys } = await paused();
    world.changeEndpoint(endpoint.id, { pausedAt: null, failingSince: null });
    await world.run();
    expect(world.arrivals).toEqual([]);
    world.clock.ms += HOUR_MS;
    await world.run();
    expect(world.typesAt(endpoint)).toEqual(keys.map(() => 'lead.created 1'));
  });

  test('removes the lanes if the endpoint was deleted, and is then not repeated', async () => {
    const { world, endpoint, keys } = await paused();
    expect(world.lanes.size).toBe(keys.length);
    world.endpoints.delete(endpoint.id);
    world.clock.ms += HOUR_MS;
    await world.settle();
    expect([world.lanes.size, world.storedStates.get(endpoint.id)?.dueAt]).toEqual([0, undefined]);
  });

  test('sends nothing and changes no lane while the endpoint stays paused', async () => {
    const { world } = await paused();
    const lanes = structuredClone([...world.lanes.values()]);
    for (let hour = 0; hour < 3; hour++) {
      world.clock.ms += HOUR_MS;
      await world.run();
      await world.settle();
    }
    expect([world.arrivals, [...world.lanes.values()]]).toEqual([[], lanes]);
  });
});

test.each([410, 500])(
  '%d: if the URL of an endpoint changes during an attempt, the response does not disable or pause the endpoint',
  async (status) => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    world.respond = async () => FAILED;
    world.create();
    await runUntil(world, NOON + 72 * HOUR_MS - 1);
    world.respond = async () => ({ ...FAILED, status });
    world.create();
    world.clock.ms = NOON + 72 * HOUR_MS;
    const changeUrl = async () => {
      world.changeEndpoint(endpoint.id, { url: 'https://new.shop.example/' });
      await world.endpointStates.resume(endpoint.id, world.clock.ms);
    };
    await world.run(async (effect, work) => {
      if (effect === 'endpoints.update' && world.endpoints.get(endpoint.id)?.url === endpoint.url) await changeUrl();
      return work();
    });
    expect(world.endpoints.get(endpoint.id)).toMatchObject({ pausedAt: null, isEnabled: true });
    world.respond = async () => ACCEPTED;
    await world.settle();
    expect(world.arrivals.at(-1)?.url).toBe('https://new.shop.example/');
  },
);

test('if a process crashes before it wakes an endpoint, and the endpoint is disabled, enabling it sends the message', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const key = world.create();
  // The process dies between raising the lane and waking the endpoint.
  const dead = () => Promise.reject(new Error('killed'));
  await world
    .run((effect, work) => (effect === 'endpointStates.wake' || effect === 'endpointStates.listDue' ? dead() : work()))
    .catch(() => 0);
  world.changeEndpoint(endpoint.id, { isEnabled: false });
  await world.settle();
  expect(world.arrivals).toEqual([]);
  await world.resume(endpoint.id);
  await world.settle();
  expect(world.arrivals.map(({ message }) => message.data.leadId)).toEqual([key.leadId]);
});
