/** Maximum number of bytes that one Athena query may read. Reading them costs about 0.50 US dollars. */
export const SCANNED_BYTES_MAX = 100_000_000_000;
