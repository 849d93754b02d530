/** Spreads an index of what is due over so many keys. Apart from the query: whoever only writes does not carry it. */
export const DUE_INDEX_SHARDS = 8;

/** A time as such an index sorts it. */
export const formatDueAt = (ms: number): string => new Date(ms).toISOString();
