/**
 * Number of shards that `queryDueKeys` reads. A shard is a partition key of a `due` index. The queries are in another
 * file, so that functions that only write due items do not bundle them.
 */
export const DUE_INDEX_SHARDS = 8;

export const formatDueAt = (ms: number): string => new Date(ms).toISOString();
