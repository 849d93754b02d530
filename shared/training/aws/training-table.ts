import { DUE_INDEX_SHARDS } from '../../platform/due-index.ts';
import type { CallIds } from '../call.ts';

type Key = { pk: string; sk: string };

/** Where the table of training keeps what: a tenant's records start with the tenant; the look-up of conversations stores it. */
export const trainingKey = {
  trainingCase: (orgId: string, id: string): Key => ({ pk: `org#${orgId}`, sk: `case#${id}` }),
  persona: (orgId: string, id: string): Key => ({ pk: `org#${orgId}`, sk: `persona#${id}` }),
  call: ({ orgId, callId }: CallIds): Key => ({ pk: `org#${orgId}`, sk: `call#${callId}` }),
  conversation: (id: string): Key => ({ pk: `conversation#${id}`, sk: 'conversation' }),
  /** That a call is being erased: ids only. */
  erasure: ({ orgId, callId }: CallIds): Key => ({ pk: `org#${orgId}`, sk: `erasure#${callId}` }),
  /** How far the organization's retention of recordings has come. */
  retention: (orgId: string): Key => ({ pk: `org#${orgId}`, sk: 'retention' }),
};

/** From the id's end: its beginning is the time, which calls of one minute share. */
export const callDueShardOf = (callId: string): string => callDueShard(shardOf(callId));
export const callDueShard = (shard: number): string => `call#${shard}`;
export const erasureDueShardOf = (callId: string): string => erasureDueShard(shardOf(callId));
export const erasureDueShard = (shard: number): string => `erasure#${shard}`;
const shardOf = (callId: string): number => Number.parseInt(callId.slice(-8), 16) % DUE_INDEX_SHARDS;
