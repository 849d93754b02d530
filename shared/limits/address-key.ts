import { createHmac } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';

const DAY_MS = 86_400_000;
const KEY_CHARACTERS = 22;

/**
 * What stands for a client's address in a counter: a keyed hash that changes with the UTC day, so that no address is
 * stored and no counter can be traced from one day to the next.
 */
export function addressKey(secret: string, clock: Clock, address: string): string {
  const day = Math.floor(clock.now() / DAY_MS);
  return createHmac('sha256', secret)
    .update(JSON.stringify(['address', day, address]))
    .digest('base64url')
    .slice(0, KEY_CHARACTERS);
}
