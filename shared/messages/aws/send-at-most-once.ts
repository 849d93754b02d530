/** One attempt's time; two of them and a refusal's answer stay within what a send has. */
export const PROVIDER_TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 4_000, throwOnRequestTimeout: true };

const RETRY_AFTER_MS = 250;

/** What says that the provider has not taken the message: it was never asked, or had no room for it. */
const NOT_TAKEN: ReadonlySet<string> = new Set(['TooManyRequestsException', 'ThrottlingException', 'ECONNREFUSED']);

/**
 * Hands a message over, a second time only when the first was surely not taken: a timeout may have been a success, and
 * nobody wants two messages with one code.
 *
 * @throws Error that names the failure and nothing else: providers write addresses and texts into theirs
 */
export async function sendAtMostOnce(provider: string, send: () => Promise<unknown>): Promise<void> {
  try {
    await send().catch(async (failure: unknown) => {
      if (!namesOf(failure).some((name) => NOT_TAKEN.has(name))) throw failure;
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      await send();
    });
  } catch (failure) {
    throw new Error(`${provider} did not take a message: ${namesOf(failure).join(' ')}`);
  }
}

function namesOf(failure: unknown): string[] {
  if (!(failure instanceof Error)) return [typeof failure];
  const { code, $metadata } = failure as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  return [failure.name, code, $metadata?.httpStatusCode].filter((name) => name !== undefined).map(String);
}
