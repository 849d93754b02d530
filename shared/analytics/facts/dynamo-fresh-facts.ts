import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { BatchWriteCommand, PutCommand, paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { dynamo } from '../../platform/clients.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { config } from '../../platform/config.ts';
import type { Fact } from './fact.ts';
import { decodeFacts, encodeFacts } from './fact-codec.ts';
import type { FreshFacts } from './fresh-facts.ts';

const CHUNK_BYTES_MAX = 100_000;
const CHUNK_FACTS_MAX = 10_000;
/** So many partitions of the index share the writes of one busy funnel. */
const INDEX_SHARDS = 8;
/** DynamoDB's limit for one batch of writes. */
const BATCH_WRITES_MAX = 25;
const BATCH_PAUSES_MS = [50, 100, 200, 400, 800, 1600];

const pkOf = (funnelId: string) => `funnel#${funnelId}`;

const FreshItem = z.object({ sk: z.string(), facts: z.instanceof(Uint8Array) });
/** All that the index holds; the number of facts is the last part of `sk`, so that it needs no other attribute. */
const WaitingKey = z.object({
  pk: z.string().transform((pk) => pk.slice(pkOf('').length)),
  sk: z.string().transform((sk) => Number(sk.slice(sk.lastIndexOf('.') + 1))),
  freshSince: z.number(),
});

/** By itself, so that the bundle of a function that reads carries nothing that writes. */
export function dynamoFreshReader(): Pick<FreshFacts, 'read'> {
  return {
    read: async (funnelId) => {
      const items = await itemsOf({
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :fresh)',
        ExpressionAttributeValues: { ':pk': pkOf(funnelId), ':fresh': 'fresh#' },
      });
      return items
        .map((item) => FreshItem.parse(item))
        .map(({ sk, facts }) => ({ ref: sk, facts: decodeFacts(facts) }));
    },
  };
}

/** Items are never changed: their key tells the batch and the content that they come from. They have no TTL. */
export function dynamoFreshFacts(clock: Clock = systemClock): FreshFacts {
  return {
    add: async (funnelId, source, facts) => {
      const chunks = chunksOf(facts).map((chunk, index) => ({ ...chunk, index }));
      await Promise.all(chunks.map((chunk) => put(funnelId, source, chunk, clock.now())));
    },
    ...dynamoFreshReader(),
    remove: async (funnelId, refs) => {
      for (let at = 0; at < refs.length; at += BATCH_WRITES_MAX)
        await removeBatch(funnelId, refs.slice(at, at + BATCH_WRITES_MAX));
    },
    waiting: async () => {
      const shards = await Promise.all(Array.from({ length: INDEX_SHARDS }, (_, shard) => keysWaiting(shard)));
      return byFunnel(shards.flat());
    },
  };
}

type Chunk = { bytes: Uint8Array; facts: number };

/** Halves what is too large for one item: how well texts deflate cannot be known before. */
function chunksOf(facts: readonly Fact[]): Chunk[] {
  if (facts.length <= CHUNK_FACTS_MAX) {
    const bytes = encodeFacts(facts);
    if (bytes.length <= CHUNK_BYTES_MAX || facts.length === 1) return [{ bytes, facts: facts.length }];
  }
  const half = Math.ceil(facts.length / 2);
  return [...chunksOf(facts.slice(0, half)), ...chunksOf(facts.slice(half))];
}

async function put(
  funnelId: string,
  { first, last }: { first: string; last: string },
  { bytes, facts, index }: Chunk & { index: number },
  nowMs: number,
): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest();
  const item = {
    pk: pkOf(funnelId),
    sk: `fresh#${first}#${last}#${digest.toString('hex', 0, 8)}#${index}.${facts}`,
    freshShard: `fresh#${digest.readUInt8() % INDEX_SHARDS}`,
    freshSince: nowMs,
    facts: bytes,
  };
  await dynamo().send(new PutCommand({ TableName: config('analyticsTable'), Item: item }));
}

async function removeBatch(funnelId: string, refs: readonly string[]): Promise<void> {
  let requests: object[] = refs.map((sk) => ({ DeleteRequest: { Key: { pk: pkOf(funnelId), sk } } }));
  for (const pauseMs of BATCH_PAUSES_MS) {
    const table = config('analyticsTable');
    const answer = await dynamo().send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
    requests = answer.UnprocessedItems?.[table] ?? [];
    if (requests.length === 0) return;
    await pause(pauseMs);
  }
  throw new Error(`DynamoDB left ${requests.length} removals of fresh facts undone.`);
}

async function keysWaiting(shard: number): Promise<z.output<typeof WaitingKey>[]> {
  const keys = await itemsOf({
    IndexName: 'fresh',
    KeyConditionExpression: 'freshShard = :shard',
    ExpressionAttributeValues: { ':shard': `fresh#${shard}` },
  });
  return keys.map((key) => WaitingKey.parse(key));
}

function byFunnel(keys: readonly z.output<typeof WaitingKey>[]): Awaited<ReturnType<FreshFacts['waiting']>> {
  const funnels = new Map<string, { funnelId: string; oldestMs: number; facts: number }>();
  for (const { pk: funnelId, sk: facts, freshSince } of keys) {
    const known = funnels.get(funnelId) ?? { funnelId, oldestMs: freshSince, facts: 0 };
    funnels.set(funnelId, {
      funnelId,
      oldestMs: Math.min(known.oldestMs, freshSince),
      facts: known.facts + facts,
    });
  }
  return [...funnels.values()];
}

/** Every item that a query finds, to the last page. */
async function itemsOf(query: Omit<QueryCommandInput, 'TableName'>): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  const pages = paginateQuery({ client: dynamo() }, { ...query, TableName: config('analyticsTable') });
  for await (const { Items = [] } of pages) items.push(...Items);
  return items;
}
