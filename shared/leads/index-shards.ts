/**
 * Number of shards of a funnel's index (`byFunnel`), and also of the outbox (`due`). With several shards, exports can
 * read in parallel, and no partition key gets all writes.
 */
export const INDEX_SHARD_COUNT = 8;

/**
 * The shard that lists leads whose erasure has started, so that an interrupted erasure can be resumed. Items contain
 * this value, so it must not change.
 */
export const ERASING_SHARD = 'sealed';

export type IndexShard = number | typeof ERASING_SHARD;

/** Returns the shard of a lead. Lead ids are random or hashes, so leads are spread uniformly over the shards. */
export const shardOfLead = (leadId: string): number => Number.parseInt(leadId.slice(0, 8), 16) % INDEX_SHARD_COUNT;
