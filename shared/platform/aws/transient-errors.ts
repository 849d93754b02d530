const THROTTLED: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TimeoutError',
  'AbortError',
]);

const UNREACHABLE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EPIPE']);

/**
 * Whether an SDK call failed for a reason that passes: throttling, a fault on AWS's side or no connection. The SDK
 * has retried by then.
 */
export function isTransientAwsError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  return THROTTLED.has(error.name) || UNREACHABLE.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500;
}
