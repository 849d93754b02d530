import type { Settings } from './settings.ts';

const HOUR_MS = 3_600_000;
const UNIT_MS = { h: HOUR_MS, d: 24 * HOUR_MS } as const;
const LIFETIME = /^([1-9]\d{0,3})([dh])$/;
const LIFETIME_DEFAULT = '7d';
const LIFETIME_DAYS_MAX = 90;

/**
 * Returns the ISO 8601 instant at which a preview stage expires: now plus the duration in the setting `expires`
 * (default: seven days).
 *
 * @throws Error with a message for the operator if the duration is invalid or longer than 90 days
 */
export function parseExpiry(context: Settings, nowMs: number): string {
  const given = String(context('expires') ?? LIFETIME_DEFAULT);
  const [, count, unit] = LIFETIME.exec(given) ?? [];
  const lifetimeMs = Number(count) * UNIT_MS[unit === 'h' ? 'h' : 'd'];
  if (!(lifetimeMs <= LIFETIME_DAYS_MAX * UNIT_MS.d))
    throw new Error(
      `expires: must be a number of days or hours, such as 3d or 12h, of at most ${LIFETIME_DAYS_MAX} days.`,
    );
  return new Date(nowMs + lifetimeMs).toISOString();
}

/** @throws Error if the setting `expires` is given, because a permanent stage does not expire */
export function rejectExpiry(context: Settings, stage: string): void {
  if (context('expires') !== undefined)
    throw new Error(
      `expires: the stage ${stage} does not expire. Omit the setting, or name a preview, such as pr-123.`,
    );
}
