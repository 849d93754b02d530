/**
 * Number of partition keys of a `due` index for each kind of item. This file is separate from the query, so that bundles
 * that only write due items don't contain the query.
 */
export const DUE_INDEX_SHARDS = 8;

export const formatDueAt = (ms: number): string => new Date(ms).toISOString();
