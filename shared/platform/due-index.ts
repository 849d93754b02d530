/** Number of partition keys of a `due` index. In a file of its own, so that writers' bundles don't contain the query. */
export const DUE_INDEX_SHARDS = 8;

/** Sort key of a `due` index. */
export const formatDueAt = (ms: number): string => new Date(ms).toISOString();
