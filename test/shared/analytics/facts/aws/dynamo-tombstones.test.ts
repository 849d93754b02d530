import { randomUUID } from 'node:crypto';
import { GetCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import {
  createDynamoFreshFactReader,
  createDynamoFreshFactRepository,
} from '../../../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createDynamoTombstoneReader } from '../../../../../shared/analytics/facts/aws/dynamo-tombstone-reader.ts';
import { createDynamoTombstoneRepository } from '../../../../../shared/analytics/facts/aws/dynamo-tombstones.ts';
import { dynamoDocumentClient } from '../../../../../shared/platform/aws/dynamo-client.ts';
import { aFact, MAY_31 } from '../../../../support/analytics/analytics.ts';
import { useDynamo } from '../../../../support/dynamo.ts';
import { collect } from '../../../../support/platform/memory-object-store.ts';

useDynamo();

const DAY_SECONDS = 86_400;
const clock = { now: () => MAY_31 };
const tombstones = createDynamoTombstoneRepository(clock);
const fresh = createDynamoFreshFactRepository(clock);
const batch = { first: '1', last: '2' };
const KEYS = [0n, -1n, 7n, 2n ** 63n - 1n, -(2n ** 63n)];

test('the session keys of all tombstones of a funnel are listed, and none of another funnel', async () => {
  const [funnel, other] = [randomUUID(), randomUUID()];
  const many = Array.from({ length: 60 }, (_, at) => BigInt(at) * 997n);
  await tombstones.addSessions(funnel, [...KEYS, ...many]);
  await tombstones.addSessions(other, [7n]);
  expect(new Set(await tombstones.listSessionKeys(funnel))).toEqual(new Set([...KEYS, ...many]));
  expect(await tombstones.listSessionKeys(other)).toEqual([7n]);
  expect((await createDynamoTombstoneReader().listAllSessions()).filter(({ funnelId }) => funnelId === other)).toEqual([
    { funnelId: other, sessionKey: 7n, sinceMs: MAY_31 },
  ]);
});

test('a tombstone lasts at least 38 days', async () => {
  const funnel = randomUUID();
  await tombstones.addSessions(funnel, [5n]);
  const Key = { pk: `funnel#${funnel}`, sk: 'erased#5' };
  const { Item } = await dynamoDocumentClient().send(new GetCommand({ TableName: 'analytics', Key }));
  expect(Item?.expiresAt).toBeGreaterThanOrEqual(MAY_31 / 1_000 + 38 * DAY_SECONDS);
  expect(Object.keys(Item ?? {}).sort()).toEqual(['expiresAt', 'pk', 'sk', 'waitingShard', 'waitingSince']);
});

test('reads of fresh facts omit erased sessions, so that an item can be returned without facts', async () => {
  const funnel = randomUUID();
  await fresh.add(
    funnel,
    batch,
    KEYS.map((sessionKey) => aFact({ sessionKey })),
  );
  await fresh.add(funnel, batch, [aFact({ sessionKey: 7n, completed: true })]);
  await tombstones.addSessions(funnel, [7n, -(2n ** 63n)]);
  for (const items of [await fresh.read(funnel), (await createDynamoFreshFactReader().readBatch(funnel, 100)).items]) {
    expect(items).toHaveLength(2);
    const keys = items.flatMap(({ facts }) => facts).map(({ sessionKey }) => sessionKey);
    expect(new Set(keys)).toEqual(new Set([0n, -1n, 2n ** 63n - 1n]));
  }
  const { items } = await fresh.readBatch(funnel, 1);
  expect(items).toHaveLength(1);
});

test('reads of fresh facts omit erased sessions, even if their tombstones fill several pages', async () => {
  const funnel = randomUUID();
  const keys = Array.from({ length: 120 }, (_, at) => BigInt(at));
  await tombstones.addSessions(funnel, keys);
  await fresh.add(funnel, batch, [aFact({ sessionKey: 119n }), aFact({ sessionKey: 500n })]);
  const send = dynamoDocumentClient().send.bind(dynamoDocumentClient());
  const requests: QueryCommandInput[] = [];
  const spy = vi.spyOn(dynamoDocumentClient(), 'send').mockImplementation(((command: { input: QueryCommandInput }) => {
    requests.push({ ...command.input });
    command.input.Limit = 50;
    return send(command as Parameters<typeof send>[0]);
  }) as typeof send);
  const items = await fresh.read(funnel);
  spy.mockRestore();
  expect(requests.length).toBeGreaterThan(2);
  expect(items.flatMap(({ facts }) => facts).map(({ sessionKey }) => sessionKey)).toEqual([500n]);
  // The stand-in is always consistent, so only the request shows that the code requests consistency.
  for (const { ConsistentRead } of requests) expect(ConsistentRead).toBe(true);
});

test('findFreshItems finds the items with facts of the given sessions, and returns the other facts of each item', async () => {
  const funnel = randomUUID();
  const [a, b, c] = [aFact({ sessionKey: 1n }), aFact({ sessionKey: 2n }), aFact({ sessionKey: 3n })];
  await fresh.add(funnel, batch, [a, b]);
  await fresh.add(funnel, batch, [c]);
  const [{ ref } = { ref: '' }] = (await fresh.read(funnel)).filter(({ facts }) => facts.length === 2);
  await tombstones.addSessions(funnel, [1n]);
  expect(await collect(tombstones.findFreshItems(funnel, new Set([1n])))).toEqual([{ ref, erased: 1, others: [b] }]);
});
