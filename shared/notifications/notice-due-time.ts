import type { Notice } from './notice.ts';
import type { NotificationAddress } from './notification-address.ts';

const DIGEST_HOUR = 8;

/** Returns when a notice is due: at once, after `delayMs`, or at 08:00 in the time zone of the address. */
export async function noticeDueMs(
  { kind, at }: Pick<Notice, 'kind' | 'at'>,
  { mode, timeZone }: Pick<NotificationAddress, 'mode' | 'timeZone'>,
  delayMs: number,
): Promise<number> {
  const atMs = Date.parse(at);
  if (kind !== 'lead') return atMs;
  if (mode === 'each_lead') return atMs + delayMs;
  // Imported only here, because its calendar functions take long to load.
  const { nextLocalHour } = await import('../platform/time-zone.ts');
  return nextLocalHour(atMs, DIGEST_HOUR, timeZone);
}
