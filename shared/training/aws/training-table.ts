import { DUE_INDEX_SHARDS } from '../../platform/due-index.ts';
import type { CallIds } from '../call.ts';

type Key = { pk: string; sk: string };

/**
 * Keys of the training table. The look-up of a conversation has its own partition. All other items are in the partition
 * of their organization.
 */
export const trainingKey = {
  trainingCase: (orgId: string, id: string): Key => ({ pk: `org#${orgId}`, sk: `case#${id}` }),
  persona: (orgId: string, id: string): Key => ({ pk: `org#${orgId}`, sk: `persona#${id}` }),
  call: ({ orgId, callId }: CallIds): Key => ({ pk: `org#${orgId}`, sk: `call#${callId}` }),
  /** Leads from a conversation of the provider to the ids of its call. */
  conversation: (id: string): Key => ({ pk: `conversation#${id}`, sk: 'conversation' }),
  erasure: ({ orgId, callId }: CallIds): Key => ({ pk: `org#${orgId}`, sk: `erasure#${callId}` }),
  /** Holds the cursor of the retention of recordings. */
  retention: (orgId: string): Key => ({ pk: `org#${orgId}`, sk: 'retention' }),
};

export const callDueShardOf = (callId: string): string => callDueShard(shardOf(callId));
export const callDueShard = (shard: number): string => `call#${shard}`;
export const erasureDueShardOf = (callId: string): string => erasureDueShard(shardOf(callId));
export const erasureDueShard = (shard: number): string => `erasure#${shard}`;
/** Uses the random end of a UUID v7. Its start is a timestamp, so that calls of the same minute start alike. */
const shardOf = (callId: string): number => Number.parseInt(callId.slice(-8), 16) % DUE_INDEX_SHARDS;
