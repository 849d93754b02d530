/** Spreads a funnel's index over this many keys: parallel reads for exports, no hot key for writes. */
export const INDEX_SHARD_COUNT = 8;

/**
 * The shard that lists leads whose erasure has started, so that an interrupted erasure can be resumed. Stored: the value
 * must not change.
 */
export const ERASING_SHARD = 'sealed';

export type IndexShard = number | typeof ERASING_SHARD;

/** Lead ids are random or hashes, hence uniformly distributed. */
export const shardOfLead = (leadId: string): number => Number.parseInt(leadId.slice(0, 8), 16) % INDEX_SHARD_COUNT;
