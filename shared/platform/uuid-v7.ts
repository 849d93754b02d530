import { v7 } from 'uuid';

/**
 * A UUID that sorts by its time (RFC 9562, version 7). Apart from the other ids, so that only bundles that need it carry
 * the library.
 *
 * @param atMs milliseconds since the epoch
 */
export const uuidV7 = (atMs: number): string => v7({ msecs: atMs });
