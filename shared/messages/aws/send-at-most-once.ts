/**
 * Timeouts of one attempt, in milliseconds. Two attempts fit into the timeout of the function that sends the message.
 */
export const PROVIDER_TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 4_000, throwOnRequestTimeout: true };

const RETRY_AFTER_MS = 250;

/** Names and codes of errors which prove that the provider did not accept the message. */
const NOT_ACCEPTED: ReadonlySet<string> = new Set(['TooManyRequestsException', 'ThrottlingException', 'ECONNREFUSED']);

/**
 * Sends a message. Retries once, but only after an error which proves that the provider did not accept the message.
 * After any other error, for example a timeout, the message may have been sent, and a retry would send it twice.
 *
 * @throws Error with only the name, code and status of the failure, because providers' error messages can contain
 *   addresses and texts
 */
export async function sendAtMostOnce(provider: string, send: () => Promise<unknown>): Promise<void> {
  try {
    await send().catch(async (failure: unknown) => {
      if (!namesOf(failure).some((name) => NOT_ACCEPTED.has(name))) throw failure;
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      await send();
    });
  } catch (failure) {
    throw new Error(`${provider} did not confirm that it accepted a message: ${namesOf(failure).join(' ')}`);
  }
}

function namesOf(failure: unknown): string[] {
  if (!(failure instanceof Error)) return [typeof failure];
  const { code, $metadata } = failure as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  return [failure.name, code, $metadata?.httpStatusCode].filter((name) => name !== undefined).map(String);
}
