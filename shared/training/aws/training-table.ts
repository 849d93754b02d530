import { DUE_INDEX_SHARDS } from '../../platform/due-index.ts';
import type { CallIds } from '../call.ts';

type Key = { pk: string; sk: string };

/**
 * Keys of the training table. The look-up item of a conversation has its own partition. All other items are in the
 * partition of their organization.
 */
export const trainingKey = {
  trainingCase: (orgId: string, id: string): Key => ({ pk: `org#${orgId}`, sk: `case#${id}` }),
  persona: (orgId: string, id: string): Key => ({ pk: `org#${orgId}`, sk: `persona#${id}` }),
  call: ({ orgId, callId }: CallIds): Key => ({ pk: `org#${orgId}`, sk: `call#${callId}` }),
  /** The look-up item of a conversation. It contains the ids of the call. */
  conversation: (id: string): Key => ({ pk: `conversation#${id}`, sk: 'conversation' }),
  erasure: ({ orgId, callId }: CallIds): Key => ({ pk: `org#${orgId}`, sk: `erasure#${callId}` }),
  /** The item with the recording cursor (see `CallRetentionRepository`). */
  retention: (orgId: string): Key => ({ pk: `org#${orgId}`, sk: 'retention' }),
};

export const callDueShardOf = (callId: string): string => callDueShard(shardOf(callId));
export const callDueShard = (shard: number): string => `call#${shard}`;
export const erasureDueShardOf = (callId: string): string => erasureDueShard(shardOf(callId));
export const erasureDueShard = (shard: number): string => `erasure#${shard}`;
/**
 * Key of the index `outbox`. One key is enough: it allows 1 000 writes per second, and calls are scored far less often.
 */
export const SCORED_OUTBOX = 'scored';
/**
 * Uses the end of the id, because the end of a UUID v7 is random. Its start is a timestamp and therefore similar for
 * calls of the same minute.
 */
const shardOf = (callId: string): number => Number.parseInt(callId.slice(-8), 16) % DUE_INDEX_SHARDS;
