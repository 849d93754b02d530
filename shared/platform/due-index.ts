/**
 * Number of partition keys that a kind of item has in a `due` index, if `queryDueKeys` lists these items. Items that
 * `queryDueKeysInShard` lists have another number of keys, for example leads (`INDEX_SHARD_COUNT`). This file is
 * separate from the query, so that bundles that only write due items don't contain the query.
 */
export const DUE_INDEX_SHARDS = 8;

export const formatDueAt = (ms: number): string => new Date(ms).toISOString();
