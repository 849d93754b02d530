import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDynamoBusyEndpointRepository } from '../../../../shared/deliveries/aws/dynamo-busy-endpoint-repository.ts';
import { createDynamoLeadDeliveriesEraser } from '../../../../shared/deliveries/aws/dynamo-deliveries-erasers.ts';
import { createDynamoLaneRepository } from '../../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import { acknowledge, beginAttempt, type Lane, type LaneKey } from '../../../../shared/deliveries/lane.ts';
import type { LeadSubject } from '../../../../shared/deliveries/subject.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { createMemoryLanes } from '../../../support/deliveries/memory-lanes.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { isoAt, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();
afterEach(() => vi.restoreAllMocks());

const ORG = randomUUID();
const MESSAGE = {
  ...({ id: 'msg_1', type: 'lead.created', body: '{"name":"Ada"}' } as const),
  ...{ seq: 1, verifiedSeq: 0, isFollowed: false },
};
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
      busy: createDynamoBusyEndpointRepository(),
      eraser: createDynamoLeadDeliveriesEraser({ now: () => NOON }),
    }),
  ],
  ['memory', createMemoryLanes],
])('in %s', (_, create) => {
  const { lanes, busy, eraser } = create();
  const raisedLane = async (key: LaneKey = aLaneKey(), seq = 1): Promise<Lane> => {
    await lanes.raise(key, { orgId: ORG, seq, atMs: NOON });
    const lane = await lanes.find(key);
    if (lane === undefined) throw new Error('The lane was not stored.');
    return lane;
  };

  test('a raised lane is due at once, and a lane with work keeps its time', async () => {
    const key = aLaneKey();
    expect(await raisedLane(key)).toEqual({
      ...{ ...key, orgId: ORG, version: undefined, targetSeq: 1, acknowledgedSeq: 0, acknowledgedVerifiedSeq: 0 },
      ...{ inFlight: undefined, nextAt: isoAt(NOON) },
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

  test('the lanes with work of an endpoint are listed by time, and others are not', async () => {
    const { endpointId } = aLaneKey();
    const [first, second, idle] = [0, 1, 2].map(() => ({ ...aLaneKey(), endpointId })) as [LaneKey, LaneKey, LaneKey];
    await lanes.raise(second, { orgId: ORG, seq: 1, atMs: NOON });
    await lanes.raise(first, { orgId: ORG, seq: 1, atMs: NOON - 1 });
    const done = await raisedLane(idle);
    await lanes.replace(done, acknowledge(done, 1, 0));
    await raisedLane();
    expect(await all(lanes.listDue(endpointId, NOON))).toEqual([first, second]);
    expect(await all(lanes.listDue(endpointId, NOON - 1))).toEqual([first]);
    expect(await lanes.findNextAt(endpointId)).toBe(isoAt(NOON - 1));
    expect(await lanes.findNextAt(randomUUID())).toBeUndefined();
    await lanes.raise(idle, { orgId: ORG, seq: 2, atMs: NOON - 2 });
    expect(await lanes.findNextAt(endpointId)).toBe(isoAt(NOON - 2));
  });

  test('the erasure of a lead removes its messages, and no process that read its lanes before can store one', async () => {
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
      ...{ inFlight: undefined, version: expect.any(String) },
    });
    for (const lane of [started, fresh])
      expect(await lanes.replace(lane, beginAttempt(lane, MESSAGE, NOON))).toBeUndefined();
    expect(await lanes.find(other)).toEqual(other);
  });

  test('wake makes an endpoint due, and plan does not overwrite a later wake', async () => {
    const endpointId = randomUUID();
    const isDue = async (atMs: number) =>
      (await busy.listDue(atMs, 1_000)).some((one) => one.endpointId === endpointId);
    expect(await busy.find(endpointId)).toBeUndefined();
    await busy.wake(endpointId, NOON);
    expect([await isDue(NOON - 1), await isDue(NOON)]).toEqual([false, true]);
    const seen = await busy.find(endpointId);
    if (seen === undefined) throw new Error('The endpoint was not stored.');
    expect(seen).toEqual({ endpointId, wakeups: 1, isSettling: false, dueAt: isoAt(NOON) });
    expect(await busy.plan(seen, { isSettling: true, dueAt: isoAt(NOON + 5) })).toBe(true);
    expect([await isDue(NOON + 4), await isDue(NOON + 5)]).toEqual([false, true]);
    expect(await busy.plan(seen, { isSettling: false, dueAt: undefined })).toBe(false);
    const settling = { ...seen, isSettling: true };
    expect(await busy.plan(settling, { isSettling: false, dueAt: undefined })).toBe(true);
    expect(await isDue(NOON + 99)).toBe(false);
    expect(await busy.find(endpointId)).toEqual({ endpointId, wakeups: 1, isSettling: false, dueAt: undefined });
    await busy.wake(endpointId, NOON + 9);
    expect(await busy.plan(seen, { isSettling: false, dueAt: undefined })).toBe(false);
    expect(await isDue(NOON + 9)).toBe(true);
  });

  test('wake does not move an endpoint that is due, and does not end a rest', async () => {
    const endpointId = randomUUID();
    const dueAt = async () => (await busy.find(endpointId))?.dueAt;
    await busy.wake(endpointId, NOON);
    await busy.wake(endpointId, NOON + 5);
    expect(await busy.find(endpointId)).toMatchObject({ wakeups: 2, dueAt: isoAt(NOON) });
    await busy.rest(endpointId, NOON + 60);
    await busy.wake(endpointId, NOON + 6);
    expect(await dueAt()).toBe(isoAt(NOON + 60));
    await busy.plan(
      { endpointId, wakeups: 3, isSettling: false, dueAt: undefined },
      { isSettling: true, dueAt: isoAt(NOON + 99) },
    );
    await busy.wake(endpointId, NOON + 70);
    expect(await dueAt()).toBe(isoAt(NOON + 70));
  });

  test('postpone moves the work of a lane, and gives no work to an idle lane', async () => {
    const lane = await raisedLane();
    await lanes.postpone(lane, NOON + 60);
    expect((await lanes.find(lane))?.nextAt).toBe(isoAt(NOON + 60));
    await lanes.replace(lane, { ...lane, nextAt: undefined });
    await lanes.postpone(lane, NOON + 90);
    expect((await lanes.find(lane))?.nextAt).toBeUndefined();
    await lanes.postpone(aLaneKey(), NOON);
  });

  test('a message of 450 KB with the data of a lead of 300 KB is stored', async () => {
    const lane = await raisedLane();
    const keys = Array.from({ length: 40_000 }, (_, at) => `"${at.toString(36).padStart(3, '0')}":1`);
    const body = `{${keys.join()}}`.padEnd(450_000, '\\u0001');
    await lanes.replace(lane, beginAttempt(lane, { ...MESSAGE, body }, NOON));
    expect((await lanes.find(lane))?.inFlight?.body).toBe(body);
  });
});

test('a replacement whose response was lost is recognized', async () => {
  const lanes = createDynamoLaneRepository();
  const key = aLaneKey();
  await lanes.raise(key, { orgId: ORG, seq: 1, atMs: NOON });
  const seen = await lanes.find(key);
  if (seen === undefined) throw new Error('The lane was not stored.');
  const client = dynamoDocumentClient();
  const send = client.send.bind(client);
  // The SDK repeats a write after its response was lost.
  const twice = async (command: PutCommand) => {
    if (command instanceof PutCommand) await send(command);
    return send(command);
  };
  vi.spyOn(client, 'send').mockImplementation(twice as typeof client.send);
  const started = await lanes.replace(seen, beginAttempt(seen, MESSAGE, NOON));
  expect(started).toMatchObject({ inFlight: { ...MESSAGE, attempts: 1 } });
  expect(await lanes.find(key)).toEqual(started);
});

test('a lane without work expires, and the lanes of an erased lead expire after a week', async () => {
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
});
