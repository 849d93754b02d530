import { isTransientAwsError } from '../../platform/aws/transient-errors.ts';
import { CdnError } from '../cdn-provider.ts';

/** Time limits: `callMs` for one request to AWS, `methodMs` for all requests of a method together. */
export type CdnTimeouts = { callMs: number; methodMs: number };

/**
 * Longer than CloudFront usually needs (a second), and shorter than the timeout of the functions that use it (two
 * minutes).
 */
export const CDN_TIMEOUTS: CdnTimeouts = { callMs: 5_000, methodMs: 20_000 };

/** Sends one request of a method and enforces the time limits. */
export type SendWithTimeout = <T>(send: (options: { abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;

/**
 * Runs a method of the CDN provider within its time limits.
 *
 * @param purpose completes the sentence `The edge could not …`, for example `set up the hostname`
 * @throws CdnError with a sentence for the operator. `cause` contains the error of AWS, if there was one.
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

/**
 * Rejects when the signal is aborted. The SDK's timeout ends when a response starts, so it does not limit the time for
 * the response body.
 */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });

export const hasErrorName = (error: unknown, names: ReadonlySet<string>): boolean =>
  error instanceof Error && names.has(error.name);

export const NOT_FOUND: ReadonlySet<string> = new Set(['EntityNotFound', 'NoSuchResource']);

/** @returns undefined if AWS reports that the resource does not exist */
export async function undefinedIfNotFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (hasErrorName(error, NOT_FOUND)) return undefined;
    throw error;
  }
}

/** @param missing completes the sentence `It lacks …` */
export const unexpectedResponse = (operation: string, missing: string) =>
  new CdnError(`CloudFront returned an unexpected response to ${operation}. It lacks ${missing}.`);

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

/** Explanations for the operator, by the name of the AWS error. */
const REASONS: Record<string, string> = {
  EntityLimitExceeded: 'the AWS account has reached a quota of CloudFront. Ask AWS to raise the quota',
  EntityNotFound:
    'the distribution or connection group does not exist. Check the settings edgeDistribution and edgeConnectionGroup',
  InvalidAssociation:
    'the distribution (edgeDistribution) or connection group (edgeConnectionGroup) does not support tenants',
  InvalidIfMatchVersion: 'another process changed the tenant at the same time. Try again',
  PreconditionFailed: 'another process changed the tenant at the same time. Try again',
};

function sentenceOf(purpose: string, error: unknown): string {
  if (!(error instanceof Error)) return `The edge could not ${purpose}.`;
  if (FORBIDDEN.has(error.name)) {
    return `The edge could not ${purpose}: AWS rejects the credentials of the function, or they lack a permission.`;
  }
  if (isTransientAwsError(error) || isThrottled(error)) {
    return `The edge could not ${purpose}: AWS did not respond in time or is busy. Try again later.`;
  }
  const reason = REASONS[error.name] ?? codeOf(error);
  if (reason !== undefined) return `The edge could not ${purpose}: ${reason}.`;
  return `The edge could not ${purpose}: AWS returned an unexpected response.`;
}

function isThrottled(error: Error): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode === 429 || error.name.startsWith('Throttling');
}

/** Describes the error only by its code, because messages of AWS can contain ARNs. */
function codeOf(error: Error): string | undefined {
  const { $fault } = error as { $fault?: unknown };
  const isCode = $fault !== undefined && /^[A-Z][A-Za-z]{2,63}$/.test(error.name) && error.name !== 'UnknownError';
  return isCode ? `AWS rejected the request (${error.name})` : undefined;
}
