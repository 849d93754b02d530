import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDynamoLeadDeliveriesEraser } from '../../../../shared/deliveries/aws/dynamo-deliveries-erasers.ts';
import { createDynamoDeliveryHistory } from '../../../../shared/deliveries/aws/dynamo-delivery-history.ts';
import { createDynamoEndpointStateRepository } from '../../../../shared/deliveries/aws/dynamo-endpoint-state-repository.ts';
import { createDynamoLaneRepository } from '../../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import {
  acknowledge,
  beginAttempt,
  dropWork,
  type Lane,
  type LaneKey,
  PARKED_AT,
  park,
} from '../../../../shared/deliveries/lane.ts';
import type { LeadSubject } from '../../../../shared/deliveries/subject.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { createMemoryHistory } from '../../../support/deliveries/memory-history.ts';
import { createMemoryLanes } from '../../../support/deliveries/memory-lanes.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { isoAt, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();
afterEach(() => vi.restoreAllMocks());

const ORG = randomUUID();
const MESSAGE = {
  ...({ id: 'msg_1', type: 'lead.created', body: '{"name":"Ada"}' } as const),
  seq: 1,
  verifiedSeq: 0,
  completedAt: '2026-03-01T12:00:00.000Z',
  isFollowed: false,
};
const IDLE = { isSettling: false, dueAt: undefined, isPaused: false, failing: undefined, redelivery: undefined };
const aLaneKey = (): LaneKey<LeadSubject> => ({
  subject: { kind: 'lead', funnelId: randomUUID(), leadId: randomUUID() },
  endpointId: randomUUID(),
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe.each([
  [
    'DynamoDB',
    () => ({
      lanes: createDynamoLaneRepository(),
      endpointStates: createDynamoEndpointStateRepository(),
      eraser: createDynamoLeadDeliveriesEraser({ now: () => NOON }),
      history: createDynamoDeliveryHistory(),
    }),
  ],
  ['memory', () => ({ ...createMemoryLanes(), history: createMemoryHistory().history })],
])('in %s', (_, create) => {
  const { lanes, endpointStates, eraser, history } = create();
  const raisedLane = async (key: LaneKey = aLaneKey(), seq = 1): Promise<Lane> => {
    await lanes.raise(key, { orgId: ORG, seq, atMs: NOON });
    const lane = await lanes.find(key);
    if (lane === undefined) throw new Error('The lane was not stored.');
    return lane;
  };

  test('raise with a new seq makes a lane without work due at once, and keeps the due time of a lane with work', async () => {
    const key = aLaneKey();
    expect(await raisedLane(key)).toEqual({
      ...key,
      orgId: ORG,
      version: undefined,
      targetSeq: 1,
      acknowledgedSeq: 0,
      acknowledgedVerifiedSeq: 0,
      inFlight: undefined,
      redeliveries: [],
      redeliveryId: undefined,
      nextAt: isoAt(NOON),
    });
    await lanes.raise(key, { orgId: ORG, seq: 3, atMs: NOON + 1 });
    await lanes.raise(key, { orgId: ORG, seq: 2, atMs: NOON + 2 });
    expect(await lanes.find(key)).toMatchObject({ targetSeq: 3, nextAt: isoAt(NOON) });
    expect(await lanes.find({ ...key, endpointId: randomUUID() })).toBeUndefined();
  });

  test('a lane is replaced and removed only if it was not changed since it was read', async () => {
    const seen = await raisedLane();
    const started = await lanes.replace(seen, beginAttempt(seen, MESSAGE, NOON));
    if (started === undefined) throw new Error('The lane was not replaced.');
    expect(await lanes.find(seen)).toEqual(started);
    expect(await lanes.replace(seen, acknowledge(seen, 1, 0))).toBeUndefined();
    await lanes.remove(seen);
    await lanes.raise(seen, { orgId: ORG, seq: 2, atMs: NOON });
    expect(await lanes.replace(started, acknowledge(started, 1, 0))).toBeUndefined();
    await lanes.remove(started);
    const raised = await lanes.find(seen);
    expect(raised).toEqual({ ...started, targetSeq: 2 });
    if (raised !== undefined) await lanes.remove(raised);
    expect(await lanes.find(seen)).toBeUndefined();
    expect(await lanes.replace(started, started)).toBeUndefined();
    expect(await lanes.find(seen)).toBeUndefined();
  });

  test('listDue lists the due lanes of one endpoint, ordered by time; findNextAt returns the earliest time', async () => {
    const { endpointId } = aLaneKey();
    const [first, second, idle] = [0, 1, 2].map(() => ({ ...aLaneKey(), endpointId })) as [LaneKey, LaneKey, LaneKey];
    await lanes.raise(second, { orgId: ORG, seq: 1, atMs: NOON });
    await lanes.raise(first, { orgId: ORG, seq: 1, atMs: NOON - 1 });
    const done = await raisedLane(idle);
    await lanes.replace(done, acknowledge(done, 1, 0));
    await raisedLane();
    expect(await all(lanes.listDue(endpointId, NOON, { withParked: true }))).toEqual([first, second]);
    expect(await all(lanes.listDue(endpointId, NOON - 1, { withParked: true }))).toEqual([first]);
    expect(await lanes.findNextAt(endpointId)).toBe(isoAt(NOON - 1));
    expect(await lanes.findNextAt(randomUUID())).toBeUndefined();
    await lanes.raise(idle, { orgId: ORG, seq: 2, atMs: NOON - 2 });
    expect(await lanes.findNextAt(endpointId)).toBe(isoAt(NOON - 2));
  });

  test('erase removes the messages of a lead; afterwards, `replace` rejects lanes that were read earlier', async () => {
    const { subject, endpointId } = aLaneKey();
    const seen = await raisedLane({ subject, endpointId });
    const started = await lanes.replace(seen, beginAttempt(seen, MESSAGE, NOON));
    const fresh = await raisedLane({ ...seen, endpointId: randomUUID() });
    const other = await raisedLane();
    if (started === undefined) throw new Error('The lane was not replaced.');
    await eraser.erase(subject);
    const erased = await lanes.find(seen);
    expect(erased).toEqual({
      ...started,
      inFlight: undefined,
      version: expect.any(String),
    });
    for (const lane of [started, fresh])
      expect(await lanes.replace(lane, beginAttempt(lane, MESSAGE, NOON))).toBeUndefined();
    expect(await lanes.find(other)).toEqual(other);
  });

  test('wake makes an endpoint due, and `plan` then rejects states that were read before the wake', async () => {
    const endpointId = randomUUID();
    const isDue = async (atMs: number) =>
      (await endpointStates.listDue(atMs, 1_000)).some((one) => one.endpointId === endpointId);
    expect(await endpointStates.find(endpointId)).toBeUndefined();
    await endpointStates.wake(endpointId, NOON);
    expect([await isDue(NOON - 1), await isDue(NOON)]).toEqual([false, true]);
    const seen = await endpointStates.find(endpointId);
    if (seen === undefined) throw new Error('The endpoint was not stored.');
    expect(seen).toEqual({ ...IDLE, endpointId, wakeups: 1, dueAt: isoAt(NOON) });
    expect(await endpointStates.plan(seen, { isPaused: true, isSettling: true, dueAt: isoAt(NOON + 5) })).toBe(true);
    expect([await isDue(NOON + 4), await isDue(NOON + 5)]).toEqual([false, true]);
    expect(await endpointStates.plan(seen, { isPaused: false, isSettling: false, dueAt: undefined })).toBe(false);
    const settling = { ...seen, isSettling: true };
    expect(await endpointStates.plan(settling, { isPaused: false, isSettling: false, dueAt: undefined })).toBe(true);
    expect(await isDue(NOON + 99)).toBe(false);
    expect(await endpointStates.find(endpointId)).toEqual({ ...IDLE, endpointId, wakeups: 1 });
    await endpointStates.wake(endpointId, NOON + 9);
    expect(await endpointStates.plan(seen, { isPaused: false, isSettling: false, dueAt: undefined })).toBe(false);
    expect(await isDue(NOON + 9)).toBe(true);
  });

  test('wake makes an endpoint due now, unless it is due earlier or rests', async () => {
    const endpointId = randomUUID();
    const dueAt = async () => (await endpointStates.find(endpointId))?.dueAt;
    await endpointStates.wake(endpointId, NOON);
    await endpointStates.wake(endpointId, NOON + 5);
    expect(await endpointStates.find(endpointId)).toMatchObject({ wakeups: 2, dueAt: isoAt(NOON) });
    await endpointStates.rest(endpointId, NOON + 60);
    await endpointStates.wake(endpointId, NOON + 6);
    expect(await endpointStates.find(endpointId)).toMatchObject({
      dueAt: isoAt(NOON + 60),
      restsUntil: isoAt(NOON + 60),
    });
    await endpointStates.plan(
      { ...IDLE, endpointId, wakeups: 3 },
      { isPaused: false, isSettling: true, dueAt: isoAt(NOON + 99) },
    );
    await endpointStates.wake(endpointId, NOON + 70);
    expect(await dueAt()).toBe(isoAt(NOON + 70));
  });

  test('postpone replaces the due time of a lane with work, and gives a lane without work no due time', async () => {
    const lane = await raisedLane();
    await lanes.postpone(lane, NOON + 60);
    expect((await lanes.find(lane))?.nextAt).toBe(isoAt(NOON + 60));
    await lanes.replace(lane, { ...lane, nextAt: undefined });
    await lanes.postpone(lane, NOON + 90);
    expect((await lanes.find(lane))?.nextAt).toBeUndefined();
    await lanes.postpone(aLaneKey(), NOON);
  });

  test('listDue omits parked lanes, or lists them first if `withParked` is true; findNextAt ignores them', async () => {
    const { endpointId } = aLaneKey();
    const [parked, due] = [
      await raisedLane({ ...aLaneKey(), endpointId }),
      await raisedLane({ ...aLaneKey(), endpointId }),
    ];
    await lanes.replace(parked, park(parked));
    const keyOf = ({ subject }: LaneKey) => ({ subject, endpointId });
    expect(await all(lanes.listDue(endpointId, NOON, { withParked: true }))).toEqual([keyOf(parked), keyOf(due)]);
    expect(await all(lanes.listDue(endpointId, NOON, { withParked: false }))).toEqual([keyOf(due)]);
    expect(await lanes.findNextAt(endpointId)).toBe(isoAt(NOON));
    await lanes.raise(parked, { orgId: ORG, seq: 2, atMs: NOON + 5 });
    expect(await lanes.find(parked)).toMatchObject({ targetSeq: 2, nextAt: PARKED_AT });
  });

  test('a lane holds one redelivery per type; after a new redelivery, `replace` rejects lanes that were read earlier', async () => {
    const lane = await raisedLane(aLaneKey(), 3);
    const idle = await lanes.replace(lane, acknowledge(lane, 3, 0));
    if (idle === undefined) throw new Error('The lane was not replaced.');
    const request = { orgId: ORG, type: 'lead.created', seq: 1, redeliveryId: 'one', atMs: NOON + 5 } as const;
    await lanes.redeliver(lane, request);
    const requested = { ...idle, redeliveries: ['lead.created'], redeliveryId: 'one', nextAt: isoAt(NOON + 5) };
    expect(await lanes.find(lane)).toEqual(requested);
    await lanes.redeliver(lane, { ...request, redeliveryId: 'two', atMs: NOON + 9 });
    expect(await lanes.find(lane)).toEqual(requested);
    expect(await lanes.replace(idle, acknowledge(idle, 3, 0))).toBeUndefined();
    await lanes.redeliver(lane, { ...request, type: 'lead.verified', redeliveryId: 'three', atMs: NOON + 9 });
    expect(await lanes.replace({ ...idle, redeliveries: ['lead.created'] }, idle)).toBeUndefined();
    const both = await lanes.find(lane);
    expect(both?.redeliveries.toSorted()).toEqual(['lead.created', 'lead.verified']);
    expect(both && (await lanes.replace(both, dropWork(both)))).toMatchObject({ redeliveries: [], nextAt: undefined });
  });

  test('a redelivery to a missing lane creates the lane, with the seq of the message', async () => {
    const key = aLaneKey();
    await lanes.redeliver(key, { orgId: ORG, type: 'lead.erased', seq: 7, redeliveryId: 'one', atMs: NOON });
    expect(await lanes.find(key)).toMatchObject({ orgId: ORG, targetSeq: 7, acknowledgedSeq: 0, nextAt: isoAt(NOON) });
  });

  const aDelivery = (endpointId: string, atMs = NOON) => ({
    ...({
      ...aLaneKey(),
      endpointId,
      orgId: ORG,
      messageId: `msg_${randomUUID()}`,
      type: 'lead.created',
      seq: 1,
    } as const),
    ...({ firstAttemptAt: isoAt(atMs), status: 'pending' } as const),
  });
  const attempt = (number: number, status: number | null = 500) => ({
    number,
    startedAt: isoAt(NOON + number),
    durationMs: 5,
    status,
    problem: status === null ? ('timeout' as const) : null,
  });
  const listed = async (endpointId: string, before?: string) =>
    history.list(endpointId, { before, nowMs: NOON, limit: 2 });

  test('the history of a message has each attempt once, in order, and the latest status', async () => {
    const delivery = aDelivery(randomUUID());
    for (const number of [2, 1, 10, 2]) await history.record(delivery, attempt(number, null));
    await history.record({ ...delivery, status: 'delivered' }, attempt(11, 204));
    await history.fail(delivery);
    const stored = {
      ...delivery,
      status: 'delivered',
      attempts: [attempt(1, null), attempt(2, null), attempt(10, null), attempt(11, 204)],
    };
    expect(await listed(delivery.endpointId)).toEqual({ deliveries: [stored], next: undefined });
    expect(await history.find(delivery.endpointId, delivery.messageId, NOON)).toEqual(stored);
    expect(await history.find(randomUUID(), delivery.messageId, NOON)).toBeUndefined();
  });

  test('fail sets the status of a pending message to failed, and does nothing for an unknown message', async () => {
    const delivery = aDelivery(randomUUID());
    await history.record(delivery, attempt(1));
    await history.fail(delivery);
    await history.fail(aDelivery(delivery.endpointId));
    expect((await listed(delivery.endpointId)).deliveries).toMatchObject([{ status: 'failed' }]);
  });

  test('the history of an endpoint is paginated in both directions', async () => {
    const endpointId = randomUUID();
    const deliveries = [1, 2, 3].map((at) => aDelivery(endpointId, NOON + at));
    for (const delivery of deliveries) await history.record(delivery, attempt(1));
    await history.record(aDelivery(randomUUID()), attempt(1));
    const [oldest, middle, newest] = deliveries.map(({ messageId }) => ({ messageId }));
    const first = await listed(endpointId);
    expect(first.deliveries).toMatchObject([newest, middle]);
    expect(await listed(endpointId, first.next)).toMatchObject({ deliveries: [oldest], next: undefined });
    const since = (after: string) => history.listSince(endpointId, { after, until: isoAt(NOON + 3), limit: 1 });
    const [one, two] = [await since(isoAt(NOON + 1)), await since(isoAt(NOON + 2))];
    expect([one.deliveries, two.deliveries]).toMatchObject([[oldest], [middle]]);
    expect((await since(one.next ?? '')).deliveries).toMatchObject([middle]);
    expect((await since(`${middle && deliveries[1]?.firstAttemptAt}#${middle?.messageId}`)).deliveries).toEqual([]);
  });

  test('countFailedAttempt counts the failed attempts since the first failure; a success or a resume ends the count', async () => {
    const endpointId = randomUUID();
    await endpointStates.wake(endpointId, NOON);
    for (const forget of [
      () => endpointStates.recordSuccess(endpointId),
      () => endpointStates.resume(endpointId, NOON),
    ]) {
      expect(await endpointStates.countFailedAttempt(endpointId, isoAt(NOON))).toEqual({
        since: isoAt(NOON),
        failedAttempts: 1,
      });
      expect(await endpointStates.countFailedAttempt(endpointId, isoAt(NOON + 5))).toEqual({
        since: isoAt(NOON),
        failedAttempts: 2,
      });
      expect((await endpointStates.find(endpointId))?.failing).toEqual({ since: isoAt(NOON), failedAttempts: 2 });
      await forget();
      expect((await endpointStates.find(endpointId))?.failing).toBeUndefined();
    }
  });

  test('resume makes a resting, paused or unknown endpoint due, and `plan` then rejects older states', async () => {
    const [endpointId, unknown] = [randomUUID(), randomUUID()];
    await endpointStates.wake(endpointId, NOON);
    const seen = await endpointStates.find(endpointId);
    if (seen === undefined) throw new Error('The endpoint was not stored.');
    await endpointStates.plan(seen, { isSettling: false, dueAt: isoAt(NOON + 9), isPaused: true });
    await endpointStates.rest(endpointId, NOON + 99);
    expect(await endpointStates.find(endpointId)).toMatchObject({ isPaused: true, dueAt: isoAt(NOON + 99) });
    for (const id of [endpointId, unknown]) {
      await endpointStates.resume(id, NOON + 1);
      expect(await endpointStates.find(id)).toMatchObject({ isPaused: false, dueAt: isoAt(NOON + 1) });
    }
    expect(await endpointStates.plan(seen, { isSettling: false, dueAt: undefined, isPaused: true })).toBe(false);
  });

  test('an endpoint has at most one redelivery, which advances only from its current position', async () => {
    const endpointId = randomUUID();
    const request = { since: isoAt(NOON), requestedAt: isoAt(NOON + 9), includeDelivered: false };
    const first = { id: 'one', ...request };
    expect(await endpointStates.startRedelivery(endpointId, first)).toEqual(first);
    expect(await endpointStates.startRedelivery(endpointId, { id: 'two', ...request })).toEqual(first);
    expect(await endpointStates.advanceRedelivery(endpointId, { ...first, id: 'two' }, undefined)).toBe(false);
    expect(await endpointStates.advanceRedelivery(endpointId, first, 'here')).toBe(true);
    expect(await endpointStates.advanceRedelivery(endpointId, first, 'elsewhere')).toBe(false);
    expect(await endpointStates.advanceRedelivery(endpointId, first, undefined)).toBe(false);
    expect((await endpointStates.find(endpointId))?.redelivery).toEqual({ ...first, position: 'here' });
    expect(await endpointStates.advanceRedelivery(endpointId, { ...first, position: 'here' }, undefined)).toBe(true);
    expect((await endpointStates.find(endpointId))?.redelivery).toBeUndefined();
  });

  test('a message of 450 KB with the data of a lead of 300 KB is stored', async () => {
    const lane = await raisedLane();
    const keys = Array.from({ length: 40_000 }, (_, at) => `"${at.toString(36).padStart(3, '0')}":1`);
    const body = `{${keys.join()}}`.padEnd(450_000, '\\u0001');
    await lanes.replace(lane, beginAttempt(lane, { ...MESSAGE, body }, NOON));
    expect((await lanes.find(lane))?.inFlight?.body).toBe(body);
  });
});

test('if a response is lost and the SDK repeats the write, replace still returns the lane', async () => {
  const lanes = createDynamoLaneRepository();
  const key = aLaneKey();
  await lanes.raise(key, { orgId: ORG, seq: 1, atMs: NOON });
  const seen = await lanes.find(key);
  if (seen === undefined) throw new Error('The lane was not stored.');
  const client = dynamoDocumentClient();
  const send = client.send.bind(client);
  const twice = async (command: PutCommand) => {
    if (command instanceof PutCommand) await send(command);
    return send(command);
  };
  vi.spyOn(client, 'send').mockImplementation(twice as typeof client.send);
  const started = await lanes.replace(seen, beginAttempt(seen, MESSAGE, NOON));
  expect(started).toMatchObject({ inFlight: { ...MESSAGE, attempts: 1 } });
  expect(await lanes.find(key)).toEqual(started);
});

test('a delivery expires 30 days after its first attempt, and is not returned after that', async () => {
  const history = createDynamoDeliveryHistory();
  const key = { endpointId: randomUUID(), messageId: `msg_${randomUUID()}`, firstAttemptAt: isoAt(NOON) };
  const delivery = { ...aLaneKey(), ...key, orgId: ORG, type: 'lead.created', seq: 1, status: 'failed' } as const;
  await history.record(delivery, { number: 9_000, startedAt: isoAt(NOON), durationMs: 5, status: 500, problem: null });
  const Key = { pk: `history#${key.endpointId}`, sk: `${key.firstAttemptAt}#${key.messageId}` };
  const { Item } = await dynamoDocumentClient().send(new GetCommand({ TableName: 'deliveries', Key }));
  expect(Item?.expiresAt).toBe(NOON / 1_000 + 30 * 86_400);
  // Attempts from the 40th on share one attribute, so that the item stays small.
  expect(Object.keys(Item ?? {}).filter((name) => name.startsWith('attempt'))).toEqual(['attempt#40']);
  const nowMs = NOON + 30 * 86_400_000;
  expect(await history.list(key.endpointId, { before: undefined, nowMs, limit: 9 })).toEqual({ deliveries: [] });
  expect(await history.find(key.endpointId, key.messageId, nowMs)).toBeUndefined();
  expect(await history.find(key.endpointId, key.messageId, nowMs - 1)).toBeDefined();
});

test('a lane without work expires after 400 days; a lane of an erased lead expires after a week, unless it gets work', async () => {
  const key = aLaneKey();
  const lanes = createDynamoLaneRepository({ now: () => NOON });
  const expiryDays = async () => {
    const Key = { pk: `lead#${key.subject.funnelId}#${key.subject.leadId}`, sk: `endpoint#${key.endpointId}` };
    const { Item } = await dynamoDocumentClient().send(new GetCommand({ TableName: 'deliveries', Key }));
    return Item?.expiresAt && (Item.expiresAt - NOON / 1_000) / 86_400;
  };
  await lanes.raise(key, { orgId: ORG, seq: 1, atMs: NOON });
  const raised = await lanes.find(key);
  if (raised === undefined) throw new Error('The lane was not stored.');
  await lanes.replace(raised, beginAttempt(raised, MESSAGE, NOON));
  expect(await expiryDays()).toBeUndefined();
  const started = await lanes.find(key);
  if (started !== undefined) await lanes.replace(started, acknowledge(started, 1, 0));
  expect(await expiryDays()).toBe(400);
  await createDynamoLeadDeliveriesEraser({ now: () => NOON }).erase(key.subject);
  expect(await expiryDays()).toBe(7);
  await lanes.raise(key, { orgId: ORG, seq: 2, atMs: NOON });
  expect(await expiryDays()).toBeUndefined();
  await createDynamoLeadDeliveriesEraser({ now: () => NOON }).erase(key.subject);
  await lanes.redeliver(key, { orgId: ORG, type: 'lead.erased', seq: 2, redeliveryId: 'one', atMs: NOON });
  expect(await expiryDays()).toBeUndefined();
});
