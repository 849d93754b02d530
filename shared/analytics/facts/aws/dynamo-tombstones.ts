import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../../platform/aws/dynamo-client.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { requireSetting } from '../../../platform/settings.ts';
import { decodeFacts } from '../fact-codec.ts';
import type { TombstoneRepository } from '../ports.ts';
import {
  FRESH_PREFIX,
  itemKey,
  LEAD_TOMBSTONE_PREFIX,
  nameOfFacts,
  type PendingKind,
  partitionKey,
  pendingIndexAttributes,
  queryPages,
  SESSION_TOMBSTONE_PREFIX,
  sessionKeyFromSortKey,
} from './dynamo-keys.ts';

const WRITE_CONCURRENCY = 25;
/**
 * Sum of the maximum age of an accepted event (30 days), the time for which the stream keeps a record (7 days), and a
 * margin for clock differences (1 day).
 */
const TOMBSTONE_TTL_SECONDS = 38 * 86_400;

const FreshItemRow = z.object({ sk: z.string(), facts: z.instanceof(Uint8Array) });

/**
 * Stores one item per erased session and per erased lead, in the partition of the funnel. The items identify no person,
 * because a session key is a hash, and a lead id is random or a hash.
 */
export function createDynamoTombstoneRepository(
  clock: Clock = systemClock,
): Omit<TombstoneRepository, 'listAllSessions' | 'listAllLeads'> {
  const putAll = async (funnelId: string, writes: readonly TombstoneWrite[]) => {
    for (let at = 0; at < writes.length; at += WRITE_CONCURRENCY)
      await Promise.all(writes.slice(at, at + WRITE_CONCURRENCY).map((write) => put(funnelId, write, clock.now())));
  };
  return {
    addSessions: (funnelId, sessionKeys) =>
      putAll(
        funnelId,
        sessionKeys.map((key) => ({
          sk: `${SESSION_TOMBSTONE_PREFIX}${key}`,
          kind: 'sessionTombstones',
          anyByte: Number(BigInt.asUintN(8, key)),
        })),
      ),
    addLeads: (funnelId, leadIds) =>
      putAll(
        funnelId,
        leadIds.map((id) => ({
          sk: `${LEAD_TOMBSTONE_PREFIX}${id}`,
          kind: 'leadTombstones',
          anyByte: Number.parseInt(id.slice(0, 2), 16),
        })),
      ),
    listSessionKeys: async (funnelId) => {
      const keys: bigint[] = [];
      for await (const page of itemsUnder(funnelId, SESSION_TOMBSTONE_PREFIX))
        for (const { sk } of page) keys.push(sessionKeyFromSortKey(String(sk)));
      return keys;
    },
    findFreshItems: async function* (funnelId, sessionKeys) {
      for await (const page of itemsUnder(funnelId, FRESH_PREFIX)) {
        for (const item of page) {
          const { sk: ref, facts: bytes } = FreshItemRow.parse(item);
          const facts = decodeFacts(bytes, nameOfFacts(funnelId, ref));
          const others = facts.filter(({ sessionKey }) => !sessionKeys.has(sessionKey));
          if (others.length < facts.length) yield { ref, erased: facts.length - others.length, others };
        }
      }
    },
  };
}

type TombstoneWrite = { sk: string; kind: PendingKind; anyByte: number };

async function put(funnelId: string, { sk, kind, anyByte }: TombstoneWrite, nowMs: number): Promise<void> {
  const expiresAt = Math.ceil(nowMs / 1_000) + TOMBSTONE_TTL_SECONDS;
  const Item = { ...itemKey(funnelId, sk), expiresAt, ...pendingIndexAttributes(kind, anyByte, nowMs) };
  await dynamoDocumentClient().send(new PutCommand({ TableName: requireSetting('analyticsTable'), Item }));
}

const itemsUnder = (funnelId: string, prefix: string) =>
  queryPages({
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': partitionKey(funnelId), ':prefix': prefix },
  });
