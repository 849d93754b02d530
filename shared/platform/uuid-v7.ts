import { v7 } from 'uuid';

/**
 * Creates a UUID that sorts by time (RFC 9562, version 7). This function has its own file, because only some bundles
 * need the library.
 *
 * @param atMs milliseconds since the epoch
 */
export const uuidV7 = (atMs: number): string => v7({ msecs: atMs });
