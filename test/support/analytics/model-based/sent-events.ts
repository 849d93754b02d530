/** Events as browsers send them, and what the test knows about each request. The oracle has no other input. */

/** The headers of a client, and its expected classification. */
export const CLIENTS = {
  phone: {
    headers: {
      'user-agent':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 ' +
        '(KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
    },
    countsAs: { deviceType: 'mobile', browser: 'safari', os: 'ios' },
  },
  tablet: {
    headers: { 'user-agent': 'Mozilla/5.0 (Android 13; Tablet; rv:124.0) Gecko/124.0 Firefox/124.0' },
    countsAs: { deviceType: 'tablet', browser: 'firefox', os: 'android' },
  },
  desktop: {
    headers: {
      'user-agent':
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
    },
    countsAs: { deviceType: 'desktop', browser: 'chrome', os: 'windows' },
  },
  unknown: { headers: {}, countsAs: { deviceType: 'desktop', browser: 'other', os: 'other' } },
  crawler: {
    headers: { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    countsAs: null,
  },
} as const;
export type Client = keyof typeof CLIENTS;

export type SentEvent = {
  eventId: string;
  sessionId: string;
  timestamp: string;
  funnelId?: string;
  pageUrl?: string;
  referrer?: string | null;
  /** A string is not a valid step index. */
  stepIndex?: number | null | string;
  stepId?: string;
  utmSource?: string | null;
  utmMedium?: string;
  utmCampaign?: string;
  utmTerm?: string;
  utmContent?: string;
  payload?: Record<string, unknown>;
};

/** `arrivalMs`: when the service received the event, in milliseconds since the epoch. */
export type Arrived = { event: SentEvent; funnelId: string; arrivalMs: number; client: Client };

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
