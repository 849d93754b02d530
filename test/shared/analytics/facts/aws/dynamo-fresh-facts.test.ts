import { randomBytes, randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { createDynamoFreshFactRepository } from '../../../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { type Fact, mergeFactsBySession } from '../../../../../shared/analytics/facts/fact.ts';
import { dynamoDocumentClient } from '../../../../../shared/platform/aws/dynamo-client.ts';
import { aFact, MAY_31 } from '../../../../support/analytics/analytics.ts';
import { useDynamo } from '../../../../support/dynamo.ts';

useDynamo();

const clock = { ms: MAY_31, now: () => clock.ms };
const fresh = createDynamoFreshFactRepository(clock);
const source = { first: '100', last: '200' };

const sessions = (count: number, overrides: (at: number) => Partial<Fact> = () => ({})): Fact[] =>
  Array.from({ length: count }, (_, at) =>
    aFact({ sessionKey: randomBytes(8).readBigInt64BE(), firstTimeMs: MAY_31 + at, ...overrides(at) }),
  );

async function itemsOf(funnelId: string) {
  const { Items = [] } = await dynamoDocumentClient().send(
    new QueryCommand({
      TableName: 'analytics',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `funnel#${funnelId}` },
    }),
  );
  return Items;
}

const merged = async (funnelId: string) =>
  mergeFactsBySession((await fresh.read(funnelId)).flatMap(({ facts }) => facts));

test('read returns the fresh facts that were added to the funnel, and none of another funnel', async () => {
  const [a, b] = [randomUUID(), randomUUID()];
  const [ofA, ofB] = [sessions(3), sessions(2)];
  await fresh.add(a, source, ofA);
  await fresh.add(b, source, ofB);
  expect(await merged(a)).toEqual(mergeFactsBySession(ofA));
  expect(await merged(b)).toEqual(mergeFactsBySession(ofB));
  expect(await fresh.read(randomUUID())).toEqual([]);
});

test('a redelivered batch replaces its item of fresh facts; a batch with other sequence numbers or facts gets a new item', async () => {
  const funnelId = randomUUID();
  const facts = sessions(3);
  await fresh.add(funnelId, source, facts);
  await fresh.add(funnelId, source, facts.toReversed());
  expect(await itemsOf(funnelId)).toHaveLength(1);
  await fresh.add(funnelId, { first: '100', last: '150' }, facts);
  await fresh.add(funnelId, source, facts.slice(1));
  expect(await itemsOf(funnelId)).toHaveLength(3);
  expect(await merged(funnelId)).toEqual(mergeFactsBySession(facts));
});

test('items of fresh facts do not expire; their key has sequence numbers, a digest, an index and the number of facts', async () => {
  const funnelId = randomUUID();
  await fresh.add(funnelId, source, sessions(2));
  const [item = {}] = await itemsOf(funnelId);
  expect(item.sk).toMatch(/^fresh#100#200#[0-9a-f]{16}#0\.2$/);
  expect(item).not.toHaveProperty('expiresAt');
});

test('fresh facts with long texts are stored in items of at most 100 KB, and a read returns all of them', async () => {
  const funnelId = randomUUID();
  const facts = sessions(3_000, () => ({
    utmTerm: randomBytes(190).toString('base64'),
    utmContent: randomBytes(190).toString('base64'),
  }));
  await fresh.add(funnelId, source, facts);
  const { Items: firstPage = [], LastEvaluatedKey } = await dynamoDocumentClient().send(
    new QueryCommand({
      TableName: 'analytics',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `funnel#${funnelId}` },
    }),
  );
  expect(LastEvaluatedKey).toBeDefined();
  expect(Math.max(...firstPage.map(({ facts: bytes }) => bytes.length))).toBeLessThanOrEqual(100_000);
  expect(await merged(funnelId)).toEqual(mergeFactsBySession(facts));
});

test('remove deletes the given items of fresh facts and no others, even if this needs several requests', async () => {
  const funnelId = randomUUID();
  for (let batch = 0; batch < 30; batch++)
    await fresh.add(funnelId, { first: `${batch}`, last: `${batch}` }, sessions(1));
  const read = await fresh.read(funnelId);
  const late = sessions(1);
  await fresh.add(funnelId, source, late);
  const refs = read.map(({ ref }) => ref);
  await fresh.remove(funnelId, refs);
  await fresh.remove(funnelId, refs);
  await fresh.remove(funnelId, []);
  expect(await merged(funnelId)).toEqual(mergeFactsBySession(late));
});

test('for each funnel with fresh facts, listPendingFunnels returns the time of the oldest item and the number of facts', async () => {
  const [a, b] = [randomUUID(), randomUUID()];
  for (let batch = 0; batch < 20; batch++) {
    clock.ms = MAY_31 + batch;
    await fresh.add(a, { first: `${batch}`, last: `${batch}` }, sessions(batch + 1));
  }
  await fresh.add(b, source, sessions(1));
  const pending = await fresh.listPendingFunnels();
  expect(pending).toContainEqual({ funnelId: a, oldestMs: MAY_31, factCount: 210 });
  expect(pending).toContainEqual({ funnelId: b, oldestMs: MAY_31 + 19, factCount: 1 });
  await fresh.remove(
    b,
    (await fresh.read(b)).map(({ ref }) => ref),
  );
  expect((await fresh.listPendingFunnels()).map(({ funnelId }) => funnelId)).not.toContain(b);
});

test('readBatch returns fewer facts than the requested maximum if their texts are long', async () => {
  const funnelId = randomUUID();
  const wide = (at: number) => aFact({ sessionKey: BigInt(at), utmTerm: randomBytes(500).toString('latin1') });
  for (let batch = 0; batch < 10; batch++)
    await fresh.add(
      funnelId,
      { first: `${batch}`, last: `${batch}` },
      Array.from({ length: 10 }, (_, at) => wide(10 * batch + at)),
    );
  const { items, isLast } = await fresh.readBatch(funnelId, 100);
  expect([items.length > 1, items.length < 6, isLast]).toEqual([true, true, false]);
});

test('if texts are short, readBatch returns as many items as the maximum of facts allows, or one that exceeds it', async () => {
  const funnelId = randomUUID();
  for (const batch of [1, 2, 3]) await fresh.add(funnelId, { first: `${batch}`, last: `${batch}` }, sessions(10));
  const some = async (factsMax: number) => {
    const { items, isLast } = await fresh.readBatch(funnelId, factsMax);
    return [items.length, isLast];
  };
  expect(await Promise.all([1, 19, 20, 29, 30, 1_000].map(some))).toEqual([
    [1, false],
    [1, false],
    [2, false],
    [2, false],
    [3, true],
    [3, true],
  ]);
  expect(await fresh.readBatch(randomUUID(), 1)).toEqual({ items: [], isLast: true });
});

test('fresh facts are read strongly consistently', async () => {
  const sent: unknown[] = [];
  dynamoDocumentClient().middlewareStack.add((next) => async (args) => {
    sent.push(args.input);
    return next(args);
  });
  await fresh.read(randomUUID());
  await fresh.readBatch(randomUUID(), 1);
  expect(sent).toMatchObject([{ ConsistentRead: true }, { ConsistentRead: true }]);
});
