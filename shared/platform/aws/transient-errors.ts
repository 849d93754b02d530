const TRANSIENT_NAMES: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TimeoutError',
  'AbortError',
]);

const NETWORK_CODES: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EPIPE']);

/**
 * Whether an SDK call failed because of throttling, a timeout, a server error or the network, even after the SDK's own
 * retries.
 */
export function isTransientAwsError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  return TRANSIENT_NAMES.has(error.name) || NETWORK_CODES.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500;
}
