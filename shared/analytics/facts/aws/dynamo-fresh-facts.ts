import { createHash } from 'node:crypto';
import { BatchWriteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../../platform/aws/dynamo-client.ts';
import { retryUnprocessed } from '../../../platform/aws/retry-unprocessed.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { requireSetting } from '../../../platform/settings.ts';
import type { Fact } from '../fact.ts';
import { decodeFacts, encodeFacts } from '../fact-codec.ts';
import type { FreshFactRepository, FreshItem } from '../ports.ts';
import {
  FRESH_PREFIX,
  forEachPendingKey,
  funnelIdFromPartitionKey,
  itemKey,
  nameOfFacts,
  partitionKey,
  pendingIndexAttributes,
  queryPages,
  SESSION_TOMBSTONE_PREFIX,
  sessionKeyFromSortKey,
} from './dynamo-keys.ts';

const CHUNK_BYTES_MAX = 100_000;
const CHUNK_FACTS_MAX = 10_000;
/**
 * Maximum bytes that `readBatch` reads per requested fact. A usual fact takes 20 bytes. If the facts contain long
 * texts, `readBatch` reads fewer facts than requested.
 */
const BATCH_BYTES_PER_FACT = 200;
/** DynamoDB's limit for one batch of writes. */
const BATCH_WRITES_MAX = 25;

const SessionTombstoneRow = z.object({ sk: z.string().check(z.startsWith(SESSION_TOMBSTONE_PREFIX)) });
const FreshItemRow = z.object({ sk: z.string(), facts: z.instanceof(Uint8Array) });

/** The sort key ends with the number of facts, so that the pending index needs no attribute for this number. */
const factsIn = ({ sk }: { sk: string }): number => Number(sk.slice(sk.lastIndexOf('.') + 1));

/** Separate from the repository, so that functions that only read have smaller bundles. */
export function createDynamoFreshFactReader(): Pick<FreshFactRepository, 'read' | 'readBatch'> {
  const readBatch = async (funnelId: string, factsMax: number) => {
    const bytesMax = factsMax * BATCH_BYTES_PER_FACT;
    const items: FreshItem[] = [];
    const erased = new Set<bigint>();
    let factCount = 0;
    let bytesRead = 0;
    for await (const page of erasedAndFreshPages(funnelId)) {
      for (const item of page) {
        const tombstone = SessionTombstoneRow.safeParse(item);
        if (tombstone.success) {
          erased.add(sessionKeyFromSortKey(tombstone.data.sk));
          continue;
        }
        const { sk, facts: bytes } = FreshItemRow.parse(item);
        bytesRead += bytes.length;
        if (items.length > 0 && (factCount + factsIn({ sk }) > factsMax || bytesRead > bytesMax))
          return { items, isLast: false };
        items.push(freshItem(funnelId, { sk, bytes }, erased));
        factCount += factsIn({ sk });
      }
    }
    return { items, isLast: true };
  };
  return { readBatch, read: async (funnelId) => (await readBatch(funnelId, Number.POSITIVE_INFINITY)).items };
}

/** Decodes the facts of an item only when they are read. Queries skip items that an earlier query has merged. */
const freshItem = (
  funnelId: string,
  { sk, bytes }: { sk: string; bytes: Uint8Array },
  erased: ReadonlySet<bigint>,
): FreshItem => ({
  ref: sk,
  get facts() {
    return decodeFacts(bytes, nameOfFacts(funnelId, sk)).filter(({ sessionKey }) => !erased.has(sessionKey));
  },
});

/** Session tombstones sort before fresh items, so one query reads all tombstones and then the fresh items. */
const erasedAndFreshPages = (funnelId: string) =>
  queryPages({
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': partitionKey(funnelId),
      ':first': SESSION_TOMBSTONE_PREFIX,
      ':last': `${FRESH_PREFIX}~`,
    },
  });

/**
 * Stores immutable items without a TTL. The sort key contains the sequence numbers of `source` and a digest of the
 * facts. If the same facts from the same records are added again, the same items are written.
 */
export function createDynamoFreshFactRepository(clock: Clock = systemClock): FreshFactRepository {
  return {
    add: async (funnelId, source, facts) => {
      const chunks = chunksOf(facts).map((chunk, index) => ({ ...chunk, index }));
      await Promise.all(chunks.map((chunk) => put(funnelId, source, chunk, clock.now())));
    },
    ...createDynamoFreshFactReader(),
    remove: async (funnelId, refs) => {
      for (let at = 0; at < refs.length; at += BATCH_WRITES_MAX)
        await removeBatch(funnelId, refs.slice(at, at + BATCH_WRITES_MAX));
    },
    listPendingFunnels,
  };
}

type Chunk = { bytes: Uint8Array; factCount: number };

/** Splits facts in two until each part fits into an item, because the size of a part is known only after encoding. */
function chunksOf(facts: readonly Fact[]): Chunk[] {
  if (facts.length <= CHUNK_FACTS_MAX) {
    const bytes = encodeFacts(facts);
    if (bytes.length <= CHUNK_BYTES_MAX || facts.length === 1) return [{ bytes, factCount: facts.length }];
  }
  const half = Math.ceil(facts.length / 2);
  return [...chunksOf(facts.slice(0, half)), ...chunksOf(facts.slice(half))];
}

async function put(
  funnelId: string,
  { first, last }: { first: string; last: string },
  { bytes, factCount, index }: Chunk & { index: number },
  nowMs: number,
): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest();
  const item = {
    ...itemKey(funnelId, `${FRESH_PREFIX}${first}#${last}#${digest.toString('hex', 0, 8)}#${index}.${factCount}`),
    ...pendingIndexAttributes('fresh', digest.readUInt8(), nowMs),
    facts: bytes,
  };
  await dynamoDocumentClient().send(new PutCommand({ TableName: requireSetting('analyticsTable'), Item: item }));
}

async function removeBatch(funnelId: string, refs: readonly string[]): Promise<void> {
  const table = requireSetting('analyticsTable');
  const requests: Record<string, unknown>[] = refs.map((sk) => ({ DeleteRequest: { Key: itemKey(funnelId, sk) } }));
  const isDone = await retryUnprocessed(requests, async (left) => {
    const response = await dynamoDocumentClient().send(new BatchWriteCommand({ RequestItems: { [table]: left } }));
    return response.UnprocessedItems?.[table];
  });
  if (!isDone) throw new Error(`DynamoDB did not process all deletions of fresh facts of the funnel ${funnelId}.`);
}

async function listPendingFunnels(): ReturnType<FreshFactRepository['listPendingFunnels']> {
  const funnels = new Map<string, Awaited<ReturnType<FreshFactRepository['listPendingFunnels']>>[number]>();
  await forEachPendingKey('fresh', ({ pk, sk, sinceMs }) => {
    const funnelId = funnelIdFromPartitionKey(pk);
    const funnel = funnels.get(funnelId) ?? { funnelId, oldestMs: sinceMs, factCount: 0 };
    funnel.oldestMs = Math.min(funnel.oldestMs, sinceMs);
    funnel.factCount += factsIn({ sk });
    funnels.set(funnelId, funnel);
  });
  return [...funnels.values()];
}
