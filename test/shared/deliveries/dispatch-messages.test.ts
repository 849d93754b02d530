import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { dispatchMessages } from '../../../shared/deliveries/dispatch-messages.ts';
import type { Lane } from '../../../shared/deliveries/lane.ts';
import { shardOfLead } from '../../../shared/leads/index-shards.ts';
import type { Attempt } from '../../../shared/webhooks/attempt.ts';
import { dispatchWorld } from '../../support/deliveries/dispatch-world.ts';
import { isoAt, NOON } from '../../support/webhooks/endpoints.ts';

const HOUR_MS = 3_600_000;
const responding = (status: number, retryAfterSeconds?: number): Attempt => ({
  outcome: 'responded',
  status,
  durationMs: 5,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const TIMEOUT: Attempt = { outcome: 'failed', reason: 'timeout', message: 'no complete response', durationMs: 10_000 };

describe('a lead', () => {
  test('is announced to each endpoint once, in one run, with its state', async () => {
    const world = dispatchWorld();
    const [one, other] = [world.endpoint(), world.endpoint()];
    const key = world.create({ amount: '1.0', name: '"Ada"' });
    expect(await world.run()).toEqual({ delivered: 2 });
    expect(await world.run()).toEqual({});
    expect([world.typesAt(one), world.typesAt(other)]).toEqual([['lead.created 1'], ['lead.created 1']]);
    const [{ body, message } = { body: '', message: undefined }] = world.arrivals;
    expect(message).toMatchObject({
      type: 'lead.created',
      timestamp: isoAt(world.clock.ms),
      data: { version: 1, funnelId: key.funnelId, leadId: key.leadId, seq: 1, lead: { data: { amount: 1 } } },
    });
    expect(body).toContain('"amount":1.0');
  });

  test('causes no lead.updated if lead.created and lead.verified already contain the update', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    const key = world.create();
    world.update(key, { email: '"a@shop.example"' });
    world.verify(key, 'email');
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.created 3', 'lead.verified 3']);
  });

  test('is announced as updated a minute after the latest of several updates', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    const key = world.create();
    await world.run();
    world.update(key, { name: '"A"' });
    world.clock.ms += 50_000;
    world.update(key, { name: '"Ada"' });
    world.clock.ms += 50_000;
    await world.run();
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1']);
    world.clock.ms += 10_000;
    await world.run();
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.updated 3']);
  });

  test('with pending changes is announced as updated, not as created, to an endpoint that is newer than the lead', async () => {
    const world = dispatchWorld();
    const key = world.create();
    world.verify(key, 'email');
    world.clock.ms += 1;
    const endpoint = world.endpoint({ createdAt: isoAt(world.clock.ms) });
    await world.settle();
    world.verify(key, 'phone');
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.updated 2', 'lead.verified 3']);
  });

  test('is announced as created, then as verified, then as completed; a submit after the completion is an update', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    const key = world.create();
    world.complete(key);
    world.verify(key, 'email');
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.created 3', 'lead.verified 3', 'lead.completed 3']);
    world.complete(key);
    await world.settle();
    expect(world.typesAt(endpoint).slice(3)).toEqual(['lead.updated 4']);
  });

  test('is announced as completed immediately, and only once, to an endpoint that wants only lead.completed', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint({ eventTypes: ['lead.completed'] });
    const key = world.create();
    await world.settle();
    world.update(key, { name: '"Ada"' });
    world.complete(key);
    await world.run();
    expect(world.typesAt(endpoint)).toEqual(['lead.completed 3']);
    world.complete(key);
    world.verify(key, 'email');
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.completed 3']);
  });

  test('that was completed before the endpoint was created is not announced as completed', async () => {
    const world = dispatchWorld();
    const [early, late] = [world.create(), world.create()];
    world.complete(early);
    world.clock.ms += 1;
    const endpoint = world.endpoint({ eventTypes: ['lead.completed'], createdAt: isoAt(world.clock.ms) });
    world.update(early, { name: '"Ada"' });
    world.complete(late);
    await world.settle();
    world.update(early, { name: '"Bob"' });
    await world.settle();
    expect(world.arrivals.map(({ message }) => message.data.leadId)).toEqual([late.leadId]);
    expect(world.typesAt(endpoint)).toEqual(['lead.completed 2']);
  });

  test('with the id of an erased lead is announced as created, even if lead.erased is still pending', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    const key = world.create();
    await world.settle();
    world.respond = async () => responding(500);
    await world.erase(key);
    await world.run();
    world.clock.ms += 48 * HOUR_MS;
    world.create({ name: '"Eve"' }, { ...key, seq: 9 });
    await world.run();
    world.respond = async () => responding(204);
    await world.settle();
    expect(new Set(world.typesAt(endpoint))).toEqual(new Set(['lead.created 1', 'lead.erased 2', 'lead.created 9']));
    expect(world.typesAt(endpoint).at(-1)).toBe('lead.created 9');
  });

  test('is announced only with messages of the types that the endpoint wants', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint({ eventTypes: ['lead.verified'] });
    const none = world.endpoint({ eventTypes: ['call.scored'] });
    const key = world.create();
    await world.settle();
    world.verify(key, 'email');
    await world.settle();
    world.update(key, { name: '"Ada"' });
    await world.settle();
    await world.erase(key);
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.verified 2']);
    expect(world.typesAt(none)).toEqual([]);
    expect(world.lanes.size).toBe(0);
  });

  test('that is updated and not completed raises no lane of an endpoint that does not want lead.updated', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint({ eventTypes: ['lead.created', 'lead.verified'] });
    const key = world.create();
    await world.settle();
    world.update(key, { name: '"Ada"' });
    await world.settle();
    expect([...world.lanes.values()].map(({ targetSeq }) => targetSeq)).toEqual([1]);
    world.update(key, { name: '"Bob"' });
    world.verify(key, 'email');
    await world.settle();
    expect([...world.lanes.values()].map(({ targetSeq }) => targetSeq)).toEqual([4]);
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.verified 4']);
  });

  test('causes no late message about a milestone if an endpoint that wants other messages about leads selects its type later', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint({ eventTypes: ['lead.erased'] });
    const key = world.create();
    world.complete(key);
    world.verify(key, 'email');
    await world.settle();
    world.changeEndpoint(endpoint.id, {
      eventTypes: ['lead.created', 'lead.verified', 'lead.completed', 'lead.updated'],
    });
    world.update(key, { name: '"Ada"' });
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.updated 4']);
  });

  test('that was erased before its first message is announced only as erased, without its data', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    const key = world.create({ name: '"Ada"' });
    await world.erase(key);
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.erased 2']);
    expect(world.arrivals[0]?.message.data).not.toHaveProperty('lead');
    expect(world.lanes.size).toBe(0);
  });

  test('that is being erased is not announced; its pending message is removed', async () => {
    const world = dispatchWorld();
    world.endpoint();
    world.respond = async () => responding(500);
    const key = world.create({ name: '"Ada"' });
    await world.run();
    world.leads.markErasing(key);
    await world.eraser.erase(key);
    expect(JSON.stringify([...world.lanes.values()])).not.toContain('Ada');
    world.clock.ms += HOUR_MS;
    await world.run();
    expect(world.arrivals).toHaveLength(1);
    world.leads.replaceWithTombstone(key);
    await world.run();
    expect(world.arrivals.map(({ message }) => message.type)).toEqual(['lead.created', 'lead.erased']);
  });
});

describe('a scored call', () => {
  const wanting = { eventTypes: ['call.scored' as const] };

  test('is announced once to each endpoint that wants call.scored, with its result and nothing that was said', async () => {
    const world = dispatchWorld();
    const [one, other, leadsOnly] = [world.endpoint(wanting), world.endpoint(wanting), world.endpoint()];
    const { orgId, callId } = world.score();
    const at = isoAt(world.clock.ms);
    await world.settle();
    await world.settle();
    expect([one, other, leadsOnly].map(world.typesAt)).toEqual([['call.scored 1'], ['call.scored 1'], []]);
    expect(world.arrivals[0]?.message).toEqual({
      type: 'call.scored',
      timestamp: at,
      data: {
        version: 1,
        orgId,
        callId,
        seq: 1,
        call: {
          userId: expect.any(String),
          caseId: 'case',
          personaId: 'persona',
          status: 'ready',
          durationSeconds: 61,
          createdAt: at,
          scoredAt: at,
          score: { total: 70, criteria: [{ id: 'dos', label: 'Dos', score: 30, max: 45 }] },
        },
      },
    });
    expect(new Set(world.arrivals.map(({ id }) => id)).size).toBe(2);
  });

  test('is announced once, even if its first removal from the outbox fails', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint(wanting);
    world.score();
    let failures = 0;
    await world.run((effect, work) =>
      effect === 'calls.clear' && failures++ === 0 ? Promise.reject(new Error('down')) : work(),
    );
    expect(failures).toBeGreaterThan(0);
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['call.scored 1']);
  });

  test('is not announced to an endpoint that was created after the scoring', async () => {
    const world = dispatchWorld();
    world.score();
    world.clock.ms += 1;
    const endpoint = world.endpoint({ ...wanting, createdAt: isoAt(world.clock.ms) });
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual([]);
  });

  test('that was erased is not announced; its pending message is removed with the lane', async () => {
    const world = dispatchWorld();
    world.endpoint(wanting);
    world.respond = async () => responding(500);
    const call = world.score();
    await world.run();
    await world.eraseCall(call);
    expect([...world.lanes.values()]).toMatchObject([{ inFlight: undefined }]);
    await world.eraseCall(world.score());
    await world.settle();
    expect(world.arrivals).toHaveLength(1);
    expect(world.lanes.size).toBe(0);
  });
});

describe('a domain that became active', () => {
  const wanting = { eventTypes: ['domain.active' as const] };

  test('is announced once to each endpoint that wants domain.active, with its hostname and its pages', async () => {
    const world = dispatchWorld();
    const [endpoint, leadsOnly] = [world.endpoint(wanting), world.endpoint()];
    const { orgId, domainId } = world.activate();
    const at = isoAt(world.clock.ms);
    await world.settle();
    await world.settle();
    expect([endpoint, leadsOnly].map(world.typesAt)).toEqual([['domain.active 1'], []]);
    expect(world.arrivals[0]?.message).toEqual({
      type: 'domain.active',
      timestamp: at,
      data: {
        version: 1,
        orgId,
        domainId,
        seq: 1,
        domain: {
          hostname: 'offer.shop.example',
          pageIds: ['page'],
          status: 'active',
          createdAt: at,
          activatedAt: at,
        },
      },
    });
  });

  test('is not announced again while it is being removed; its pending message is removed with the lane', async () => {
    const world = dispatchWorld();
    world.endpoint(wanting);
    world.respond = async () => responding(500);
    const domain = world.activate();
    await world.run();
    await world.removeDomain(domain);
    await world.settle();
    expect(world.arrivals).toHaveLength(1);
    expect(world.lanes.size).toBe(0);
  });
});

describe('a message whose attempt failed', () => {
  test('is repeated with the same id and bytes after increasing delays, and a later change follows as lead.updated', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    world.respond = async () => responding(500);
    const key = world.create();
    for (let attempt = 0; attempt < 10; attempt++) {
      await world.run();
      if (attempt === 1) world.update(key, { name: '"Ada"' });
      world.clock.ms = Date.parse([...world.lanes.values()][0]?.nextAt ?? '');
    }
    const sent = world.arrivals.map(({ atMs }) => atMs);
    expect(sent.slice(1).map((atMs, index) => (atMs - (sent[index] ?? 0)) / 1_000)).toEqual([
      ...[5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800],
    ]);
    expect(new Set(world.arrivals.map(({ id, body }) => id + body)).size).toBe(1);
    world.respond = async () => responding(200);
    await world.settle();
    expect(world.typesAt(endpoint).slice(9)).toEqual(['lead.created 1', 'lead.created 1', 'lead.updated 2']);
  });

  test('is repeated after the time in Retry-After if this time is longer than the regular delay', async () => {
    const world = dispatchWorld();
    world.endpoint();
    world.respond = async () => responding(503, 90);
    world.create();
    await world.run();
    expect([...world.lanes.values()][0]?.nextAt).toBe(isoAt(world.clock.ms + 90_000));
  });

  test('is given up after 72 hours, and a later change of the lead is announced', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    world.respond = async () => responding(404);
    const key = world.create();
    await world.run();
    world.clock.ms += 72 * HOUR_MS;
    expect(await world.run()).toEqual({ given_up: 1 });
    world.respond = async () => responding(204);
    world.update(key, { name: '"Ada"' });
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.updated 2']);
  });

  test('is dropped if the erasure of the lead has begun since the first attempt', async () => {
    const world = dispatchWorld();
    world.endpoint();
    world.respond = async () => responding(404);
    const key = world.create();
    await world.run();
    world.leads.markErasing(key);
    world.clock.ms += HOUR_MS;
    await world.run();
    expect(world.arrivals).toHaveLength(1);
    expect([...world.lanes.values()]).toMatchObject([{ inFlight: undefined }]);
  });

  test('is replaced by lead.erased, with a new count of attempts, if the lead was erased before the retry', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    world.respond = async () => responding(404);
    const key = world.create();
    await world.run();
    world.leads.markErasing(key);
    world.leads.replaceWithTombstone(key);
    world.clock.ms += HOUR_MS;
    await world.run();
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.erased 2']);
    expect([...world.lanes.values()]).toMatchObject([
      { inFlight: { type: 'lead.erased', attempts: 1, firstAttemptAt: isoAt(world.clock.ms) } },
    ]);
  });

  test('is retried at the current URL of the endpoint', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    world.respond = async () => responding(301);
    world.create();
    await world.run();
    world.changeEndpoint(endpoint.id, { url: 'https://new.shop.example/' });
    world.respond = async () => responding(204);
    await world.settle();
    expect(world.arrivals.map(({ url }) => url)).toEqual([endpoint.url, 'https://new.shop.example/']);
  });
});

test('until an attempt has ended or 75 s have passed, no other run sends a message of the lane', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const response = Promise.withResolvers<Attempt>();
  world.respond = () => response.promise;
  const key = world.create();
  const run = world.run();
  await expect.poll(() => world.arrivals.length).toBe(1);
  world.verify(key, 'email');
  world.clock.ms += 74_000;
  await world.run();
  expect(world.arrivals).toHaveLength(1);
  response.resolve(responding(204));
  await run;
  await world.settle();
  expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.verified 2']);
});

describe('an endpoint', () => {
  test('that responds 410 is disabled, and gets no more messages', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    world.respond = async () => responding(410);
    world.create();
    expect(await world.run()).toEqual({ failed: 1 });
    world.create();
    await world.settle();
    expect(world.arrivals).toHaveLength(1);
    expect(world.endpoints.get(endpoint.id)?.isEnabled).toBe(false);
    expect([...world.lanes.values()]).toMatchObject([{ inFlight: undefined, nextAt: undefined }]);
  });

  test.each([
    [
      'disabled',
      (world: ReturnType<typeof dispatchWorld>, id: string) => world.changeEndpoint(id, { isEnabled: false }),
    ],
    ['deleted', (world: ReturnType<typeof dispatchWorld>, id: string) => void world.endpoints.delete(id)],
  ])('gets no retry of a pending message after it was %s', async (_, change) => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    world.respond = async () => responding(500);
    world.create();
    await world.run();
    change(world, endpoint.id);
    await world.settle();
    expect(world.arrivals).toHaveLength(1);
    expect([...world.lanes.values()].filter(({ inFlight, nextAt }) => inFlight ?? nextAt)).toEqual([]);
  });

  test('that was disabled and enabled again gets no second lead.created for the same lead', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    const key = world.create();
    await world.settle();
    world.respond = async () => responding(500);
    world.update(key, { name: '"Ada"' });
    world.clock.ms += 60_000;
    await world.run();
    world.changeEndpoint(endpoint.id, { isEnabled: false });
    await world.settle();
    world.respond = async () => responding(204);
    world.changeEndpoint(endpoint.id, { isEnabled: true });
    world.update(key, { name: '"Bob"' });
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.updated 2', 'lead.updated 3']);
  });

  test('gets the messages of the other lanes if writes of some lanes always fail', async () => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    const broken = new Set(Array.from({ length: 8 }, () => world.create().leadId));
    world.clock.ms += 1;
    const key = world.create();
    const { replace, ...others } = world.portsOf().lanes;
    const lanes = {
      ...others,
      replace: (seen: Lane, next: Lane) =>
        seen.subject.kind === 'lead' && broken.has(seen.subject.leadId)
          ? Promise.reject(new Error('too large'))
          : replace(seen, next),
    };
    for (let run = 0; run < 4; run++) {
      await dispatchMessages({ ...world.portsOf(), lanes });
      world.clock.ms += 60_000;
    }
    expect(world.arrivals.map(({ message }) => message.data.leadId)).toEqual([key.leadId]);
    expect(world.typesAt(endpoint)).toEqual(['lead.created 1']);
  });

  test('that does not respond gets at most 7 attempts, then rests for a minute; another endpoint gets its 30 messages', async () => {
    const world = dispatchWorld();
    const [hanging, healthy] = [world.endpoint(), world.endpoint()];
    const pending: (() => void)[] = [];
    world.respond = async ({ url }) => {
      if (url !== hanging.url) return responding(204);
      await new Promise<void>((resolve) => pending.push(resolve));
      return TIMEOUT;
    };
    for (let count = 0; count < 30; count++) world.create();
    const run = world.run();
    await expect.poll(() => world.typesAt(healthy).length).toBe(30);
    expect(pending).toHaveLength(5);
    for (const resolve of pending) resolve();
    // The five attempts fail. After each of the first two failures, another attempt starts. After the third failure,
    // the endpoint rests: it gets no attempts for a minute.
    await expect.poll(() => pending.length).toBe(7);
    for (const resolve of pending) resolve();
    expect(await run).toMatchObject({ delivered: 30 });
    const restEnd = isoAt(world.clock.ms + 60_000);
    expect(world.storedStates.get(hanging.id)?.dueAt).toBe(restEnd);
    world.create();
    await world.run();
    expect(world.storedStates.get(hanging.id)?.dueAt).toBe(restEnd);
  });

  test('whose last attempt failed gets no attempt in the last ten seconds of a run', async () => {
    const world = dispatchWorld();
    const failing = world.endpoint({ eventTypes: ['lead.verified'] });
    const healthy = world.endpoint({ eventTypes: ['lead.created'] });
    world.respond = async ({ url }) => responding(url === failing.url ? 500 : 204);
    world.verify(world.create(), 'email');
    await world.run();
    expect(world.typesAt(failing)).toHaveLength(1);
    world.create();
    world.respond = async () => {
      world.respond = async () => responding(204);
      // The retry is due now, but the run of 60 s started 51 s ago, so less than ten seconds of it remain.
      world.clock.ms += 51_000;
      world.create();
      return responding(204);
    };
    await world.run();
    expect(world.typesAt(healthy)).toHaveLength(3);
    expect(world.typesAt(failing)).toHaveLength(1);
    await world.run();
    expect(world.typesAt(failing)).toHaveLength(2);
  });
});

test('a run raises the lanes of a new lead and announces the lead, even if the indexes are outdated', async () => {
  const world = dispatchWorld({ lagMs: () => 1_000 });
  const endpoint = world.endpoint();
  world.create();
  await world.run();
  expect(world.typesAt(endpoint)).toEqual(['lead.created 1']);
});

test('a raised lane gets its message in the same run, even if another process postpones the endpoint meanwhile', async () => {
  const world = dispatchWorld({ lagMs: () => 1_000 });
  const endpoint = world.endpoint();
  world.create();
  await world.run(async (effect, work) => {
    const done = await work();
    const seen = effect === 'endpointStates.wake' ? await world.endpointStates.find(endpoint.id) : undefined;
    if (seen !== undefined)
      await world.endpointStates.plan(seen, { isSettling: true, dueAt: isoAt(NOON + 120_000), isPaused: false });
    return done;
  });
  expect(world.typesAt(endpoint)).toEqual(['lead.created 1']);
});

test('a run starts no work after its end time', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  world.create();
  const end = { endMs: world.clock.ms + 1_000 };
  world.respond = async () => {
    world.clock.ms += 1_000;
    world.create();
    return responding(204);
  };
  await dispatchMessages(world.portsOf(), end);
  await dispatchMessages(world.portsOf(), end);
  expect(world.typesAt(endpoint)).toEqual(['lead.created 1']);
  await world.run();
  expect(world.typesAt(endpoint).length).toBeGreaterThan(1);
});

test('a run records how late the oldest work is, and 0 seconds if there is none', async () => {
  const world = dispatchWorld();
  world.endpoint();
  world.create();
  world.clock.ms += 90_000;
  await world.run();
  await world.run();
  expect(world.metrics).toEqual([
    ['Deliveries_oldestDueSeconds', 90],
    ['Deliveries_oldestDueSeconds', 0],
  ]);
});

describe('the recorded lateness', () => {
  /** Overloads the dispatcher for five minutes. Returns the lateness that the next run records. */
  async function latenessOf(attempt: Attempt, durationMs: number): Promise<number | undefined> {
    const world = dispatchWorld();
    world.endpoint();
    world.respond = async () => {
      world.clock.ms += durationMs;
      return attempt;
    };
    const endMs = world.clock.ms + 300_000;
    for (let count = 0; count < 80; count++) world.create();
    while (world.clock.ms < endMs) {
      await world.run();
      // This change wakes the endpoint.
      world.create();
      world.clock.ms += 20_000;
    }
    world.metrics.length = 0;
    await world.run();
    return world.metrics[0]?.[1];
  }

  test('grows while an endpoint accepts messages slowly, even if changes wake the endpoint often', async () => {
    expect(await latenessOf(responding(204), 10_000)).toBeGreaterThanOrEqual(300);
  });

  test('does not include the lanes of a resting endpoint', async () => {
    expect(await latenessOf(TIMEOUT, 0)).toBeLessThan(60);
  });
});

test('if waking an endpoint fails, the lead stays in the outbox, and endpoints that are already due get messages', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  world.respond = async () => responding(500);
  world.create();
  await world.run();
  world.respond = async () => responding(204);
  world.clock.ms += 10_000;
  world.create();
  const counts = await world.run((effect, work) =>
    effect === 'endpointStates.wake' ? Promise.reject(new Error('down')) : work(),
  );
  expect(counts).toEqual({ error: expect.any(Number), delivered: 2 });
  expect(world.leads.dueTimes()).toHaveLength(1);
  await world.settle();
  expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.created 1', 'lead.created 1']);
});

test('after an unexpected error, an endpoint gets no message until its rest has ended', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  world.create();
  const failed = await world.run((effect, work) =>
    effect === 'history.record' ? Promise.reject(new Error('down')) : work(),
  );
  expect(failed).toEqual({ error: 1 });
  const sentBefore = world.typesAt(endpoint).length;
  world.clock.ms += 10_000;
  world.create();
  expect(await world.run()).toEqual({});
  expect(world.typesAt(endpoint)).toHaveLength(sentBefore);
  world.clock.ms += 60_000;
  expect(await world.run()).toEqual({ delivered: 2 });
});

test('an endpoint rests after an unexpected error, even if the due time of its next lane cannot be read', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  world.create();
  await world.run((effect, work) =>
    ['history.record', 'lanes.findNextAt'].includes(effect) ? Promise.reject(new Error('down')) : work(),
  );
  expect(world.storedStates.get(endpoint.id)?.restsUntil).toBe(isoAt(world.clock.ms + 60_000));
});

test.each(['outbox.clear', 'notifyLead', 'endpointStates.wake'])(
  'while %s fails, a run tries each change only once; when the failures end, each lead is announced once',
  async (failing) => {
    const world = dispatchWorld();
    const endpoint = world.endpoint();
    const keys = Array.from({ length: 20 }, () => world.create());
    let attempts = 0;
    const endMs = world.clock.ms + 60_000;
    await world.run(async (effect, work) => {
      // Each effect takes 10 ms. A run that retried failed changes without end would therefore last the whole minute.
      world.clock.ms += 10;
      if (effect !== failing) return work();
      attempts++;
      throw new Error('down');
    });
    expect(world.clock.ms).toBeLessThan(endMs);
    expect(attempts).toBeLessThanOrEqual(keys.length);
    await world.settle();
    expect(world.typesAt(endpoint)).toEqual(keys.map(() => 'lead.created 1'));
  },
);

test('changes that can never be dispatched do not delay the changes of other leads', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const broken = new Set(Array.from({ length: 100 }, () => world.create().leadId));
  world.clock.ms += 1;
  const others = Array.from({ length: 40 }, () => world.create());
  const ports = world.portsOf();
  const read: typeof ports.sources.lead.read = async (subject) => {
    if (broken.has(subject.leadId)) throw new Error('not readable');
    return ports.sources.lead.read(subject);
  };
  await dispatchMessages({ ...ports, sources: { ...ports.sources, lead: { ...ports.sources.lead, read } } });
  expect(world.typesAt(endpoint)).toHaveLength(others.length);
});

/** The effects that query due changes. A round has eight queries for leads, one for calls and one for domains. */
const DUE_CHANGE_QUERIES = ['outbox.listDue', 'calls.listDue', 'domains.listDue'];

test('queries of due changes run one at a time; after a failed query, the others still run', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const leads = Array.from({ length: 40 }, () => world.create());
  let [running, runningMax, queries] = [0, 0, 0];
  const run = world.run(async (effect, work) => {
    if (!DUE_CHANGE_QUERIES.includes(effect)) return work();
    queries += 1;
    if (queries === 1) throw new Error('throttled');
    running += 1;
    runningMax = Math.max(runningMax, running);
    try {
      await delay(1);
      return await work();
    } finally {
      running -= 1;
    }
  });
  await expect(run).rejects.toThrow('throttled');
  expect(runningMax).toBe(1);
  const inFirstShard = leads.filter(({ leadId }) => shardOfLead(leadId) === 0);
  expect(world.leads.dueTimes()).toHaveLength(inFirstShard.length);
  await world.settle();
  expect(world.typesAt(endpoint)).toHaveLength(leads.length);
});

test('if a query of due changes takes longer than the time slice for changes, no further query starts', async () => {
  const world = dispatchWorld();
  let queries = 0;
  await world.run((effect, work) => {
    if (DUE_CHANGE_QUERIES.includes(effect)) {
      queries += 1;
      world.clock.ms += 6_000;
    }
    return work();
  });
  expect(queries).toBe(1);
});

test('a run that serves all due endpoints within a second queries them once; a longer run queries them again', async () => {
  const world = dispatchWorld();
  for (let count = 0; count < 5; count++) world.endpoint();
  let queries = 0;
  const run = () =>
    world.run((effect, work) => {
      if (effect === 'endpointStates.listDue') queries += 1;
      return work();
    });
  world.create();
  expect(await run()).toEqual({ delivered: 5 });
  expect(queries).toBe(1);
  world.respond = async () => {
    world.clock.ms += 1_000;
    return responding(204);
  };
  world.create();
  expect(await run()).toEqual({ delivered: 5 });
  expect(queries).toBe(3);
});

test('when the time slice of the only endpoint ends, the run lists its other due lanes and serves them', async () => {
  const world = dispatchWorld();
  world.endpoint();
  for (let count = 0; count < 30; count++) world.create();
  world.respond = async () => {
    // Five lanes are served concurrently, so the time slice of 15 seconds ends after 15 messages.
    world.clock.ms += 1_000;
    // The next rounds begin meanwhile.
    await delay(20);
    return responding(204);
  };
  expect(await world.run()).toEqual({ delivered: 30 });
});

test('a run also serves the endpoints above its limits, even if all other endpoints are done at the same time', async () => {
  const world = dispatchWorld();
  for (let count = 0; count < 120; count++) world.endpoint();
  world.create();
  const killed = world.run((effect, work) =>
    effect === 'endpointStates.listDue' ? Promise.reject(new Error('killed')) : work(),
  );
  await expect(killed).rejects.toThrow('killed');
  expect(await world.run()).toEqual({ delivered: 120 });
});

test('a run serves a lane that it raised while it served another lane of the same endpoint', async () => {
  const world = dispatchWorld();
  world.endpoint();
  world.create();
  world.respond = async () => {
    world.respond = async () => responding(204);
    world.create();
    // The next round begins meanwhile, and raises the lane of the new lead.
    await delay(50);
    return responding(204);
  };
  expect(await world.run()).toEqual({ delivered: 2 });
});

test('a failed query of due endpoints fails the run; a failed read of a lane is counted and retried', async () => {
  const world = dispatchWorld();
  world.endpoint();
  world.create();
  await expect(
    world.run((effect, work) => (effect === 'endpointStates.listDue' ? Promise.reject(new Error('down')) : work())),
  ).rejects.toThrow('down');
  expect(
    await world.run((effect, work) => (effect === 'lanes.find' ? Promise.reject(new Error('down')) : work())),
  ).toEqual({ error: 1 });
  await world.settle();
  expect(world.arrivals).toHaveLength(1);
});

test('notification addresses are notified of a new lead once, before the lead leaves the outbox', async () => {
  const world = dispatchWorld();
  const key = world.create();
  await world.run((effect, work) => (effect === 'notifyLead' ? Promise.reject(new Error('down')) : work()));
  expect([world.notified, world.leads.dueTimes().length]).toEqual([[], 1]);
  await world.settle();
  world.update(key, { name: '"Ada"' });
  world.verify(key, 'email');
  await world.settle();
  expect(world.notified).toEqual([key.leadId]);
});
