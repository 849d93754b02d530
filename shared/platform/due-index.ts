/**
 * Number of partition keys of a `due` index for each kind of item that `queryDueKeys` lists. Items that
 * `queryDueKeysInShard` lists have their own number of keys, for example leads (`INDEX_SHARD_COUNT`). This file is
 * separate from the query, so that bundles that only write due items don't contain the query.
 */
export const DUE_INDEX_SHARDS = 8;

export const formatDueAt = (ms: number): string => new Date(ms).toISOString();
