/**
 * What is known of one session: its first event's order key and dimensions, and whether it started and completed.
 * Everything that analytics reads count is a merge of facts.
 */
export type Fact = {
  /** First 8 bytes of SHA-256(funnelId, 0, sessionId) as a signed big-endian integer. */
  sessionKey: bigint;
  /** Milliseconds since the epoch, clamped to the arrival's clock. */
  timeMs: number;
  /** Milliseconds since the epoch as the client said. */
  clientTimeMs: number;
  stepIndex: number | null;
  /** Host without `www.`, or `direct`. */
  referrer: string;
  utmSource: string;
  utmMedium: string;
  utmCampaign: string;
  utmTerm: string;
  utmContent: string;
  deviceType: string;
  browser: string;
  os: string;
  started: boolean;
  completed: boolean;
};
