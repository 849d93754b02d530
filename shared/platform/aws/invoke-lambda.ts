import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { dynamoClient } from './dynamo-client.ts';

/** Lambda accepts 1 MB in an asynchronous invocation, but in some regions only 256 KB. Send ids, not documents. */
const PAYLOAD_BYTES_MAX = 262_144;
const ATTEMPTS_MAX = 3;
/** Lambda usually responds within 20 ms. The limit is short, because requests of clients wait for the response. */
const ATTEMPT_TIMEOUT_MS = 1_500;
const FIRST_DELAY_MS = 50;

/** DNS suffixes of the AWS partitions that do not use `amazonaws.com`, by the first part of the region's name. */
const SUFFIXES: Record<string, string> = { cn: 'amazonaws.com.cn', eusc: 'amazonaws.eu' };

/**
 * Invokes another Lambda function asynchronously, at least once. Takes at most 5 s. Uses plain signed HTTP, because the
 * SDK client would add 117 KB to a bundle.
 *
 * @throws Error when the payload is too large or Lambda did not confirm the invocation. An unconfirmed invocation may
 *   run nevertheless, so the function must be idempotent.
 */
export async function invokeAsync(functionName: string, payload: unknown): Promise<void> {
  const body = JSON.stringify(payload);
  const bytes = Buffer.byteLength(body);
  if (bytes > PAYLOAD_BYTES_MAX) {
    throw new Error(`The payload for ${functionName} has ${bytes} bytes; the maximum is ${PAYLOAD_BYTES_MAX}.`);
  }
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryInvoke(functionName, body);
    if (outcome === 'accepted') return;
    if (!outcome.isRetryable || attempt === ATTEMPTS_MAX) throw outcome.error;
    await sleep(FIRST_DELAY_MS * 2 ** attempt * (0.5 + Math.random() / 2));
  }
}

/**
 * Invokes another Lambda function once, and waits until it ends.
 *
 * @returns true if the function ran, even if it failed; false if Lambda throttled it (no free concurrency)
 * @throws Error when Lambda rejected the invocation, or did not respond within `timeoutMs`
 */
export async function invokeAndWait(functionName: string, payload: unknown, timeoutMs: number): Promise<boolean> {
  const response = await send(
    functionName,
    await sign(functionName, JSON.stringify(payload), 'RequestResponse'),
    timeoutMs,
  );
  if (response.status !== 200 && response.status !== 429) throw rejection(functionName, response);
  return response.status === 200;
}

type Outcome = 'accepted' | { error: Error; isRetryable: boolean };

async function tryInvoke(functionName: string, body: string): Promise<Outcome> {
  const signed = await sign(functionName, body, 'Event');
  try {
    const response = await send(functionName, signed, ATTEMPT_TIMEOUT_MS);
    const { status } = response;
    if (status === 202) return 'accepted';
    return { error: rejection(functionName, response), isRetryable: status === 429 || status >= 500 };
  } catch (error) {
    return { error: error as Error, isRetryable: true };
  }
}

type SignedRequest = Awaited<ReturnType<typeof sign>>;

/** @throws Error if the connection fails, or no response arrives within `timeoutMs` */
async function send(functionName: string, { url, headers, body }: SignedRequest, timeoutMs: number): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    // Discards the body, because an unread body keeps the connection busy.
    await response.body?.cancel();
    return response;
  } catch (cause) {
    throw new Error(`Lambda did not respond to the invocation of ${functionName}.`, { cause });
  }
}

function rejection(functionName: string, { status, headers }: Response): Error {
  const type = headers.get('x-amzn-errortype')?.replace(/:.*$/, '') ?? 'no error type';
  return new Error(`Lambda rejected the invocation of ${functionName}: status ${status} (${type}).`);
}

async function sign(functionName: string, body: string, type: 'Event' | 'RequestResponse') {
  const { credentials, region: regionOf } = dynamoClient().config;
  const [{ accessKeyId, secretAccessKey, sessionToken }, region] = await Promise.all([credentials(), regionOf()]);
  const signer = new AwsV4Signer({
    method: 'POST',
    url: `${lambdaEndpoint(region)}/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
    headers: { 'Content-Type': 'application/json', 'X-Amz-Invocation-Type': type },
    body,
    service: 'lambda',
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  });
  const { url, headers } = await signer.sign();
  return { url, headers, body };
}

function lambdaEndpoint(region: string): string {
  const configured = process.env.AWS_ENDPOINT_URL_LAMBDA;
  if (configured) return configured.replace(/\/+$/, '');
  return `https://lambda.${region}.${SUFFIXES[region.slice(0, region.indexOf('-'))] ?? 'amazonaws.com'}`;
}
