import type { Notice } from './notice.ts';
import type { NotificationAddress } from './notification-address.ts';

const DIGEST_HOUR = 8;

/**
 * Returns when a notice is due. A notice about a lead is due after `delayMs`, or for a digest at the next 08:00 in the
 * time zone of the address. Other notices are due at once.
 */
export async function noticeDueMs(
  { kind, at }: Pick<Notice, 'kind' | 'at'>,
  { mode, timeZone }: Pick<NotificationAddress, 'mode' | 'timeZone'>,
  delayMs: number,
): Promise<number> {
  const atMs = Date.parse(at);
  if (kind !== 'lead') return atMs;
  if (mode === 'each_lead') return atMs + delayMs;
  // Imported only for digests, because its calendar functions take long to load.
  const { nextLocalHour } = await import('../platform/time-zone.ts');
  return nextLocalHour(atMs, DIGEST_HOUR, timeZone);
}
