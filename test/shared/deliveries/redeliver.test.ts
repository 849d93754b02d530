import { describe, expect, test } from 'vitest';
import { redeliver, redeliverSince } from '../../../shared/deliveries/redeliver.ts';
import type { Attempt } from '../../../shared/webhooks/attempt.ts';
import type { WebhookEndpoint } from '../../../shared/webhooks/webhook-endpoint.ts';
import { dispatchWorld, ORG } from '../../support/deliveries/dispatch-world.ts';
import { isoAt, NOON } from '../../support/webhooks/endpoints.ts';

const HOUR_MS = 3_600_000;
const FAILED: Attempt = { outcome: 'responded', status: 404, durationMs: 5 };
const ACCEPTED: Attempt = { outcome: 'responded', status: 204, durationMs: 5 };

function setUp(overrides: Partial<WebhookEndpoint> = {}) {
  const world = dispatchWorld();
  const endpoint = world.endpoint(overrides);
  const ids = { orgId: ORG, endpointId: endpoint.id };
  const ports = {
    endpoints: { find: async () => world.endpoints.get(endpoint.id) },
    history: world.deliveries.history,
    lanes: world.laneRepository,
    endpointStates: world.endpointStates,
    clock: world.clock,
  };
  /** Sends a message that is given up after a failure and 72 hours. One failure is too few to pause the endpoint. */
  const fail = async () => {
    world.respond = async () => FAILED;
    const key = world.create({ name: '"Ada"' });
    await world.run();
    world.clock.ms += 72 * HOUR_MS;
    await world.run();
    world.respond = async () => ACCEPTED;
    await world.settle();
    const messageId = [...world.deliveries.stored.values()].at(-1)?.messageId ?? '';
    return { key, messageId };
  };
  const again = (messageId: string) => redeliver(ports, { ...ids, messageId });
  const since = (atMs: number, includeDelivered = false) =>
    redeliverSince(ports, ids, { since: isoAt(atMs), includeDelivered });
  return { world, endpoint, ids, ports, fail, again, since };
}

describe('if a redelivery is requested, one message', () => {
  test('is sent again with the current state, the same type and a new id', async () => {
    const { world, endpoint, fail, again } = setUp({ eventTypes: ['lead.created'] });
    const { key, messageId } = await fail();
    world.update(key, { name: '"Ada B."' });
    await world.settle();
    await again(messageId);
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.created 2']);
    expect(world.arrivals.at(-1)?.id).not.toBe(messageId);
    expect(world.arrivals.at(-1)?.body).toContain('Ada B.');
    await world.settle();
    expect(world.arrivals).toHaveLength(2);
  });

  test('about a call is sent again with a new id, and never after the call was erased', async () => {
    const { world, endpoint, again } = setUp({ eventTypes: ['call.scored'] });
    const call = world.score();
    await world.settle();
    const messageId = world.arrivals[0]?.id ?? '';
    await again(messageId);
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['call.scored 1', 'call.scored 1']);
    expect(world.arrivals[1]?.id).not.toBe(messageId);
    await world.eraseCall(call);
    await again(messageId);
    await world.settle();
    expect(world.arrivals).toHaveLength(2);
    expect(world.lanes.size).toBe(0);
  });

  test('is sent only once if a second request comes before the send, and again for a later request', async () => {
    const { world, endpoint, fail, again } = setUp();
    const { messageId } = await fail();
    await again(messageId);
    await again(messageId);
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.created 1']);
    await again(messageId);
    await world.settle();
    expect(new Set(world.arrivals.map(({ id }) => id)).size).toBe(3);
  });

  test('is sent again after the pending messages of its lane; the retry of this send has the same id and body', async () => {
    const { world, endpoint, fail, again } = setUp();
    const { key, messageId } = await fail();
    world.verify(key, 'email');
    await again(messageId);
    const reactions = [ACCEPTED, FAILED];
    world.respond = async () => reactions.shift() ?? ACCEPTED;
    await world.settle();
    expect(world.typesAt(endpoint).slice(1)).toEqual(['lead.verified 2', 'lead.created 2', 'lead.created 2']);
    expect(new Set(world.arrivals.slice(2).map(({ id, body }) => id + body)).size).toBe(1);
  });

  test.each([
    ['still exists', true],
    ['was deleted', false],
  ])('is replaced by lead.erased if its lead was erased and the tombstone %s', async (_, hasTombstone) => {
    const { world, endpoint, fail, again } = setUp();
    const { key, messageId } = await fail();
    await world.erase(key);
    await world.settle();
    if (!hasTombstone) world.leads.delete(key);
    await again(messageId);
    await world.settle();
    const erased = hasTombstone ? 'lead.erased 2' : 'lead.erased 1';
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.erased 2', erased]);
    expect(new Set(world.arrivals.map(({ id }) => id)).size).toBe(3);
    expect(world.lanes.size).toBe(0);
  });

  test('of type lead.erased is first retried after a crash of the dispatcher, and then sent again with a new id', async () => {
    const { world, endpoint, again } = setUp({ eventTypes: ['lead.erased'] });
    const key = world.create();
    await world.settle();
    await world.erase(key);
    let isDead = false;
    await world
      .run(async (effect, work) => {
        if (isDead) throw new Error('killed');
        const done = await work();
        isDead = effect === 'history.record';
        return done;
      })
      .catch(() => undefined);
    await again(world.arrivals[0]?.id ?? '');
    world.clock.ms += 60_000;
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.erased 2', 'lead.erased 2', 'lead.erased 2']);
    expect(new Set(world.arrivals.map(({ id }) => id)).size).toBe(2);
    expect(world.lanes.size).toBe(0);
  });

  test('is not sent again if the endpoint does not want its type any more', async () => {
    const { world, endpoint, fail, again } = setUp();
    const { messageId } = await fail();
    world.changeEndpoint(endpoint.id, { eventTypes: ['lead.erased'] });
    await again(messageId);
    await world.settle();
    expect(world.arrivals).toHaveLength(1);
    expect([...world.lanes.values()]).toMatchObject([{ redeliveries: [], nextAt: undefined }]);
  });

  test('400 or 404: is not sent again if its endpoint is disabled, paused or unknown, or if the message is unknown', async () => {
    const { world, endpoint, fail, again } = setUp();
    const { messageId } = await fail();
    for (const changes of [{ isEnabled: false }, { isEnabled: true, pausedAt: isoAt(NOON) }]) {
      world.changeEndpoint(endpoint.id, changes);
      await expect(again(messageId)).rejects.toMatchObject({ status: 400 });
    }
    world.changeEndpoint(endpoint.id, { pausedAt: null });
    await expect(again('msg_unknown')).rejects.toMatchObject({ status: 404 });
    world.endpoints.delete(endpoint.id);
    await expect(again(messageId)).rejects.toMatchObject({ status: 404 });
    expect([...world.lanes.values()]).toMatchObject([{ redeliveries: [], nextAt: undefined }]);
  });
});

describe('if a redelivery is requested, the messages since a time', () => {
  test('are sent again if they failed, and with includeDelivered, also if they were delivered', async () => {
    const { world, endpoint, fail, since } = setUp();
    const failed = await fail();
    const delivered = world.create();
    await world.settle();
    world.respond = async () => FAILED;
    const repeated = world.create();
    await world.run();
    world.respond = async () => ACCEPTED;
    const idsAt = () =>
      [failed.key, delivered, repeated].map(
        ({ leadId }) =>
          new Set(world.arrivals.flatMap(({ id, message }) => (message.data.leadId === leadId ? id : []))).size,
      );
    await since(NOON);
    await world.settle();
    expect(idsAt()).toEqual([2, 1, 1]);
    await since(NOON, true);
    await world.settle();
    expect(idsAt()).toEqual([3, 2, 2]);
    expect(world.storedStates.get(endpoint.id)?.redelivery).toBeUndefined();
  });

  test('are those whose first attempt was at this time or later', async () => {
    const { world, fail, since } = setUp();
    await fail();
    await since(NOON + 1);
    await world.settle();
    expect(world.arrivals).toHaveLength(1);
    await since(NOON);
    await world.settle();
    expect(world.arrivals).toHaveLength(2);
  });

  test('are all sent again, even if each run crashes after a few steps', async () => {
    const { world, since } = setUp({ eventTypes: ['lead.created'] });
    const keys = Array.from({ length: 60 }, () => world.create());
    await world.settle();
    const before = world.arrivals.length;
    world.clock.ms += HOUR_MS;
    await since(NOON, true);
    let crashes = 0;
    for (let budget = 5; [...world.storedStates.values()].some(({ redelivery }) => redelivery); budget += 1) {
      let effects = 0;
      const crashing = async <T>(_effect: string, work: () => Promise<T>): Promise<T> => {
        if (effects++ >= budget) throw new Error('killed');
        return work();
      };
      await world.run(crashing).catch(() => undefined);
      crashes++;
      world.clock.ms += 60_000;
    }
    await world.settle();
    expect(crashes).toBeGreaterThan(3);
    const again = new Set(world.arrivals.slice(before).map(({ message }) => message.data.leadId));
    expect(again).toEqual(new Set(keys.map(({ leadId }) => leadId)));
    // A message that is sent twice because of a crash has the same id.
    expect(new Set(world.arrivals.slice(before).map(({ id }) => id)).size).toBe(60);
  });

  test('arrive only once, except the messages of a page that two concurrent runs process', async () => {
    const { world, since } = setUp({ eventTypes: ['lead.created'] });
    for (let count = 0; count < 60; count++) world.create();
    await world.settle();
    const before = world.arrivals.length;
    world.clock.ms += HOUR_MS;
    await since(NOON, true);
    let pages = 0;
    await world.run(async (effect, work) => {
      const done = await work();
      if (effect === 'history.listSince' && ++pages === 1) await world.run();
      return done;
    });
    await world.settle();
    const again = world.arrivals.slice(before);
    expect(pages).toBe(1);
    expect(new Set(again.map(({ id }) => id)).size).toBe(60);
    // 60 messages, of which at most a page of 25 messages arrives twice.
    expect(again.length).toBeLessThanOrEqual(85);
  });

  test('are not affected by a second request with the same parameters; other parameters or a future time get 400', async () => {
    const { world, endpoint, fail, since } = setUp();
    await fail();
    const first = await since(NOON);
    world.clock.ms += 1_000;
    expect(await since(NOON)).toEqual(first);
    await expect(since(NOON, true)).rejects.toMatchObject({ status: 400 });
    await expect(since(NOON + 5)).rejects.toMatchObject({ status: 400 });
    await world.settle();
    expect(world.arrivals).toHaveLength(2);
    await expect(since(world.clock.ms + 1)).rejects.toMatchObject({ status: 400 });
    world.changeEndpoint(endpoint.id, { isEnabled: false });
    await expect(since(NOON)).rejects.toMatchObject({ status: 400 });
  });
});
