/** What one query may read: about half a dollar's worth. A mistake costs no more. */
export const SCANNED_BYTES_MAX = 100_000_000_000;
