const SECONDS = /^\d{1,9}$/;
const HTTP_DATE = /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses the header `Retry-After`: seconds, or a date in the preferred format (RFC 9110 sections 10.2.3 and 5.6.7).
 *
 * @returns seconds from `nowMs`; undefined without the header, and for any other value
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (SECONDS.test(value)) return Number(value);
  const atMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}
