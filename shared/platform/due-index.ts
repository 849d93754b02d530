/**
 * Number of shards over which the items that `queryDueKeys` lists are spread. A shard is a partition key of a `due`
 * index. Items that `queryDueKeysInShard` lists can have another number of shards, for example leads
 * (`INDEX_SHARD_COUNT`). This file is separate from the queries, so that bundles that only write due items don't
 * contain the queries.
 */
export const DUE_INDEX_SHARDS = 8;

export const formatDueAt = (ms: number): string => new Date(ms).toISOString();
