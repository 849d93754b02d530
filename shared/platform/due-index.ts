/**
 * Number of shards that `queryDueKeys` reads. A shard is a partition key of a `due` index. Callers of
 * `queryDueKeysInShard` use their own shards, for example `INDEX_SHARD_COUNT` shards for leads. This file does not
 * contain the queries, so that a function that only writes due items does not have the queries in its bundle.
 */
export const DUE_INDEX_SHARDS = 8;

export const formatDueAt = (ms: number): string => new Date(ms).toISOString();
