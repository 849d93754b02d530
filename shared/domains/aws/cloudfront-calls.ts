import { isTransientAwsError } from '../../platform/aws/transient-errors.ts';
import { CdnError } from '../cdn-provider.ts';

/** How long one call, and all calls of a method together, may take, in milliseconds. */
export type CdnTimeouts = { callMs: number; methodMs: number };

/** CloudFront mostly answers within a second; who waits is a command or a task of a minute. */
export const CDN_TIMEOUTS: CdnTimeouts = { callMs: 5_000, methodMs: 20_000 };

/** Sends one call of a method, within its time. */
export type SendWithTimeout = <T>(send: (options: { abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;

/**
 * Runs a method of the edge: what fails becomes an `EdgeFailure`, a sentence with the reason in `cause`.
 *
 * @param purpose what the method was to do, after `could not`: `set the hostname up`
 */
export async function withTimeouts<T>(
  purpose: string,
  { callMs, methodMs }: CdnTimeouts,
  run: (call: SendWithTimeout) => Promise<T>,
): Promise<T> {
  const over = AbortSignal.timeout(methodMs);
  const call: SendWithTimeout = (send) => {
    const abortSignal = AbortSignal.any([over, AbortSignal.timeout(callMs)]);
    return Promise.race([send({ abortSignal }), aborted(abortSignal)]);
  };
  try {
    return await run(call);
  } catch (cause) {
    throw cause instanceof CdnError ? cause : new CdnError(sentenceOf(purpose, cause), { cause });
  }
}

/** The SDK's own clock stops when an answer begins: one that never ends would be read for ever. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const tell = () => reject(signal.reason);
    if (signal.aborted) tell();
    signal.addEventListener('abort', tell, { once: true });
  });

/** Whether AWS named the failure so. */
export const hasErrorName = (error: unknown, names: ReadonlySet<string>): boolean =>
  error instanceof Error && names.has(error.name);

export const NOT_FOUND: ReadonlySet<string> = new Set(['EntityNotFound', 'NoSuchResource']);

/** Undefined when AWS says that there is no such thing. */
export async function undefinedIfNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (hasErrorName(error, NOT_FOUND)) return undefined;
    throw error;
  }
}

export const unexpectedResponse = () => new CdnError('CloudFront gave an answer that makes no sense.');

const FORBIDDEN: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);

/** What an operator can do something about. */
const REASONS: Record<string, string> = {
  EntityLimitExceeded: 'the AWS account has as many of them as its quota allows. Ask AWS to raise the quota',
  EntityNotFound: 'it knows no such distribution or connection group. Look at the settings of the edge',
  InvalidAssociation: 'the distribution or connection group in the settings of the edge can hold no tenants',
  InvalidIfMatchVersion: 'somebody else changed it at the same time. Try again',
  PreconditionFailed: 'somebody else changed it at the same time. Try again',
};

function sentenceOf(purpose: string, error: unknown): string {
  if (!(error instanceof Error)) return `The edge could not ${purpose}.`;
  if (FORBIDDEN.has(error.name)) {
    return `The edge could not ${purpose}: AWS does not allow it with these credentials.`;
  }
  if (isTransientAwsError(error) || isThrottled(error)) {
    return `The edge could not ${purpose}: AWS did not answer in time or is busy. Try again later.`;
  }
  const reason = REASONS[error.name] ?? codeOf(error);
  if (reason !== undefined) return `The edge could not ${purpose}: ${reason}.`;
  return `The edge could not ${purpose}: AWS gave an answer that makes no sense.`;
}

function isThrottled(error: Error): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode === 429 || error.name.startsWith('Throttling');
}

/** AWS's message may name ARNs: its code alone is told. */
function codeOf(error: Error): string | undefined {
  const { $fault } = error as { $fault?: unknown };
  const isCode = $fault !== undefined && /^[A-Z][A-Za-z]{2,63}$/.test(error.name) && error.name !== 'UnknownError';
  return isCode ? `AWS refused it (${error.name})` : undefined;
}
