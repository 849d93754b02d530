/** Formats an ISO 8601 instant in UTC as `2026-03-01 12:00`. */
export const formatMinute = (at: string): string => at.slice(0, 16).replace('T', ' ');

/** Formats an ISO 8601 instant in UTC as `2026-03-01 12:00:05`. */
export const formatSecond = (at: string): string => at.slice(0, 19).replace('T', ' ');

/** Formats an ISO 8601 instant in UTC as `2026-03-01 12:00:05 UTC`. Returns undefined if there is no instant. */
export const formatUtc = (at: string | null | undefined): string | undefined =>
  at == null ? undefined : `${formatSecond(at)} UTC`;

/** Formats milliseconds since the epoch as `2026-03-01 12:00:05 UTC`, and null as `never`. */
export const formatTime = (ms: number | null): string =>
  ms === null ? 'never' : `${formatSecond(new Date(ms).toISOString())} UTC`;

/** Formats a count of things, for example as `1 file` or `12,000 files`. */
export const formatCount = (count: number, thing: string): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;

export const formatList = (parts: readonly string[]): string => new Intl.ListFormat('en').format(parts);

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** Formats a size such as `12.3 MB`. 1 KB is 1,000 bytes, 1 MB is 1,000 KB. */
export function formatBytes(bytes: number): string {
  let [value, step] = [bytes, 0];
  // `toFixed` would round 999.95 to 1000.0, so the next unit begins at 999.95.
  for (; value >= (step === 0 ? 1_000 : 999.95) && step < UNITS.length - 1; step++) value /= 1_000;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step]}`;
}

/** Formats a duration such as `45 seconds`, `12 minutes` or `3 hours`, rounded up. */
export function formatDuration(ms: number): string {
  if (ms < 90_000) return formatCount(Math.max(0, Math.ceil(ms / 1_000)), 'second');
  if (ms < 90 * 60_000) return formatCount(Math.ceil(ms / 60_000), 'minute');
  return formatCount(Math.ceil(ms / 3_600_000), 'hour');
}

/** Converts a property name to an option name: `smsPerDay` to `sms-per-day`. */
export const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
