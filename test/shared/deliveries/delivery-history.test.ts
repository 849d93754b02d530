import { expect, test } from 'vitest';
import { listDeliveries } from '../../../shared/deliveries/list-deliveries.ts';
import type { Attempt } from '../../../shared/webhooks/attempt.ts';
import { dispatchWorld, ORG } from '../../support/deliveries/dispatch-world.ts';
import { isoAt, NOON } from '../../support/webhooks/endpoints.ts';

const HOUR_MS = 3_600_000;
const responding = (status: number): Attempt => ({ outcome: 'responded', status, durationMs: 5 });
const TIMEOUT: Attempt = { outcome: 'failed', reason: 'timeout', message: 'no complete response', durationMs: 10_000 };

const historyOf = ({ deliveries }: ReturnType<typeof dispatchWorld>) => [...deliveries.stored.values()];

test('the history has the outcome of each recorded attempt, and no payload', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const outcomes = [responding(500), TIMEOUT, { outcome: 'refused', explanation: 'no', durationMs: 1 } as const];
  world.respond = async () => outcomes.shift() ?? responding(204);
  const key = world.create({ name: '"Ada"' });
  await world.settle();
  expect(historyOf(world)).toEqual([
    {
      orgId: ORG,
      endpointId: endpoint.id,
      subject: { kind: 'lead', ...key },
      messageId: world.arrivals[0]?.id,
      type: 'lead.created',
      seq: 1,
      status: 'delivered',
      firstAttemptAt: isoAt(NOON),
      attempts: [
        { number: 1, startedAt: isoAt(NOON), durationMs: 5, status: 500, problem: null },
        { number: 2, startedAt: isoAt(NOON + 5_000), durationMs: 10_000, status: null, problem: 'timeout' },
        { number: 3, startedAt: isoAt(NOON + 35_000), durationMs: 1, status: null, problem: 'refused' },
        { number: 4, startedAt: expect.any(String), durationMs: 5, status: 204, problem: null },
      ],
    },
  ]);
  expect(JSON.stringify(historyOf(world))).not.toContain('Ada');
});

test('after crashes, the history contains exactly the attempts that were recorded', async () => {
  const world = dispatchWorld();
  world.endpoint();
  world.create();
  let isDead = false;
  const crashingAfter =
    (last: string) =>
    async <T>(effect: string, work: () => Promise<T>) => {
      if (isDead) throw new Error('killed');
      const done = await work();
      isDead = effect === last;
      return done;
    };
  await world.run(crashingAfter('history.record')).catch(() => undefined);
  isDead = false;
  world.clock.ms += 75_000;
  await world.run(crashingAfter('send')).catch(() => undefined);
  isDead = false;
  world.clock.ms += 75_000;
  await world.run();
  expect(historyOf(world)).toMatchObject([{ status: 'delivered', attempts: [{ number: 1 }, { number: 3 }] }]);
});

test.each([
  [
    'was given up',
    async (world: ReturnType<typeof dispatchWorld>) => {
      world.clock.ms += 72 * HOUR_MS;
    },
  ],
  [
    'is about a lead that is being erased',
    async (world: ReturnType<typeof dispatchWorld>) => {
      for (const { subject } of world.lanes.values()) if (subject.kind === 'lead') world.leads.markErasing(subject);
      world.clock.ms += HOUR_MS;
    },
  ],
  [
    'waits for a retry while its endpoint is disabled',
    async (world: ReturnType<typeof dispatchWorld>) => {
      for (const id of world.endpoints.keys()) world.changeEndpoint(id, { isEnabled: false });
      world.clock.ms += HOUR_MS;
    },
  ],
  [
    'is of a type that the endpoint does not want any more',
    async (world: ReturnType<typeof dispatchWorld>) => {
      for (const id of world.endpoints.keys()) world.changeEndpoint(id, { eventTypes: ['lead.erased'] });
      world.clock.ms += HOUR_MS;
    },
  ],
])('the status of a pending message becomes failed if it %s', async (_, then) => {
  const world = dispatchWorld();
  world.endpoint();
  world.respond = async () => responding(500);
  world.create();
  await world.run();
  expect(historyOf(world)).toMatchObject([{ status: 'pending' }]);
  await then(world);
  await world.run();
  expect(historyOf(world)).toMatchObject([{ status: 'failed', attempts: [{ number: 1 }] }]);
});

test('410: after this response, the status of the message is failed', async () => {
  const world = dispatchWorld();
  world.endpoint();
  world.respond = async () => responding(410);
  world.create();
  await world.run();
  expect(historyOf(world)).toMatchObject([{ status: 'failed', attempts: [{ status: 410 }] }]);
});

test('the messages to an endpoint are listed in pages, newest first, and can be filtered by status', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  let count = 0;
  world.respond = async () => responding(count++ % 4 === 0 ? 500 : 204);
  for (let lead = 0; lead < 130; lead++) {
    world.create();
    await world.run();
    world.clock.ms += 1;
  }
  const { clock, deliveries, endpoints } = world;
  const ports = { endpoints: { find: async () => endpoints.get(endpoint.id) }, history: deliveries.history, clock };
  const ids = { orgId: ORG, endpointId: endpoint.id };
  const read = async (status?: 'pending' | 'delivered' | 'failed') => {
    const pages: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await listDeliveries(ports, ids, { status, cursor: cursor === '' ? undefined : cursor });
      pages.push(page.deliveries.map(({ messageId }) => messageId));
      cursor = page.nextCursor;
    }
    return pages;
  };
  const all = historyOf(world).toSorted((one, other) => (one.firstAttemptAt > other.firstAttemptAt ? -1 : 1));
  const idsWith = (...statuses: string[]) =>
    all.filter(({ status }) => statuses.includes(status)).map(({ messageId }) => messageId);
  const pages = await read();
  expect(pages.map(({ length }) => length)).toEqual([50, 50, 30]);
  expect(pages.flat()).toEqual(idsWith('pending', 'delivered'));
  expect((await read('pending')).flat()).toEqual(idsWith('pending'));
  expect((await read('delivered')).flat()).toEqual(idsWith('delivered'));
  expect((await read('failed')).flat()).toEqual([]);
  // A message that is still pending more than 73 hours after its first attempt counts as failed.
  clock.ms += 74 * HOUR_MS;
  expect((await read('failed')).flat()).toEqual(idsWith('pending'));
  expect((await read('pending')).flat()).toEqual([]);
});
