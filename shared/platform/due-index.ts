/**
 * Number of shards (partition keys of a `due` index) over which one kind of item is spread, if `queryDueKeys` lists the
 * items. Items that `queryDueKeysInShard` lists can have another number of shards, for example leads
 * (`INDEX_SHARD_COUNT`). This file is separate from the queries, so that bundles that only write due items don't
 * contain the queries.
 */
export const DUE_INDEX_SHARDS = 8;

export const formatDueAt = (ms: number): string => new Date(ms).toISOString();
