/** The maximum that one query may read: about half a dollar's worth. */
export const SCANNED_BYTES_MAX = 100_000_000_000;
