/** Details of a request for the access log. The gateway adds them while it handles the request. */
export type AccessLogEntry = {
  requestId: string;
  /** The operation's id; missing if the request matches no operation. */
  operation?: string;
  /** The response's `x-warning` header. */
  warning?: string | undefined;
};

type CompletedRequest = { at: Date; milliseconds: number; method: string; path: string; status: number | 'aborted' };

/**
 * Formats the line of a request in `functions.log`, for example `2026-05-31T10:00:00.000Z 200 POST /api/v2/… 12 ms
 * funnel/submit JKJaXmPLvHcESHA=`. The line contains neither the query nor request headers, because they may contain
 * personal data.
 */
export function formatAccessLogLine(
  { requestId, operation = '-', warning }: AccessLogEntry,
  { at, milliseconds, method, path, status }: CompletedRequest,
): string {
  const parts = [at.toISOString(), status, method, path, `${Math.round(milliseconds)} ms`, operation, requestId];
  return [...parts, ...(warning === undefined ? [] : [`x-warning: ${warning}`])].join(' ');
}
