/** How long an attempt takes at most, from the DNS query to the last byte of the response. */
export const ATTEMPT_MS_MAX = 10_000;

export type OutgoingRequest = { url: string; headers: Record<string, string>; body: string };

/** Makes one attempt to deliver a message. Never throws because of the receiver or of the network. */
export type SendMessage = (request: OutgoingRequest) => Promise<Attempt>;

export type Attempt = { durationMs: number } & Outcome;

/**
 * `refused`: nothing was sent, because the URL or an address of its hostname is not allowed. `explanation` tells the
 * organization what to change. `failed`: there was no complete response. `message` has no final full stop.
 */
export type Outcome =
  | { outcome: 'responded'; status: number; retryAfterSeconds?: number }
  | { outcome: 'refused'; explanation: string }
  | { outcome: 'failed'; reason: Exclude<AttemptFailure, 'refused'>; message: string };

/**
 * Why an attempt had no complete response. `closed`: the connection ended, or its data was invalid, before the response
 * was complete. `refused`: nothing was sent (see `Outcome`); if the receiver refused the connection, it is `connect`.
 */
export const ATTEMPT_FAILURES = ['dns', 'connect', 'tls', 'timeout', 'closed', 'refused'] as const;
export type AttemptFailure = (typeof ATTEMPT_FAILURES)[number];
