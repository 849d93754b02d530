/** What the gateway learns of a request while it is handled, for its line in `functions.log`. */
export type AccessLogEntry = {
  requestId: string;
  /** The operation's id; absent where the gateway itself responds. */
  operation?: string;
  /** The response's `x-warning`. */
  warning?: string | undefined;
};

type Ended = { at: Date; milliseconds: number; method: string; path: string; status: number | 'aborted' };

/** One readable line: `2026-05-31T10:00:00.000Z 200 POST /api/v2/… 12 ms funnel/submit JKJaXmPLvHcESHA=`. No query, no header. */
export function formatAccessLogLine(entry: AccessLogEntry, { at, milliseconds, method, path, status }: Ended): string {
  const { requestId, operation = '-', warning } = entry;
  const parts = [at.toISOString(), status, method, path, `${Math.round(milliseconds)} ms`, operation, requestId];
  return [...parts, ...(warning === undefined ? [] : [`x-warning: ${warning}`])].join(' ');
}
