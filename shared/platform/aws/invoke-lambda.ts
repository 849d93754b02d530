import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { dynamoClient } from './dynamo-client.ts';

/** Lambda takes 1 MB asynchronously (256 KB where it has not been raised yet): ids are passed on, never documents. */
const PAYLOAD_BYTES_MAX = 262_144;
const ATTEMPTS = 3;
/** Mostly Lambda takes 20 ms; whoever waits for an answer of ours waits for this too. */
const ATTEMPT_MS = 1_500;
const FIRST_PAUSE_MS = 50;

/** `lambda.<region>.<suffix>`, where the partition's is another one than amazonaws.com. */
const SUFFIXES: Record<string, string> = { cn: 'amazonaws.com.cn', eusc: 'amazonaws.eu' };

/**
 * Has Lambda run another function behind the caller's back, at least once; retries and a dead-letter queue are that
 * function's. Plain signed HTTP: the SDK's client would add 117 KB to a bundle. Takes at most 5 s.
 *
 * @throws Error when Lambda did not say that it took it; it may have, so what is invoked must stand a repetition
 */
export async function invokeAsync(functionName: string, payload: unknown): Promise<void> {
  const body = JSON.stringify(payload);
  const bytes = Buffer.byteLength(body);
  if (bytes > PAYLOAD_BYTES_MAX) {
    throw new Error(
      `The event for ${functionName} has ${bytes} bytes, more than the ${PAYLOAD_BYTES_MAX} it may have.`,
    );
  }
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(functionName, body);
    if (outcome === 'taken') return;
    if (!outcome.passes || attempt === ATTEMPTS) throw outcome.failure;
    await delay(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random() / 2));
  }
}

type Outcome = 'taken' | { failure: Error; passes: boolean };

async function tryOnce(functionName: string, body: string): Promise<Outcome> {
  const { url, headers } = await signed(functionName, body);
  try {
    const signal = AbortSignal.timeout(ATTEMPT_MS);
    const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    // Unread, it would keep its connection.
    await answer.body?.cancel();
    return outcomeOf(functionName, answer);
  } catch (cause) {
    return { failure: new Error(`Lambda did not answer to the start of ${functionName}.`, { cause }), passes: true };
  }
}

function outcomeOf(functionName: string, { status, headers }: Response): Outcome {
  if (status === 202) return 'taken';
  const type = headers.get('x-amzn-errortype')?.replace(/:.*$/, '') ?? 'no reason';
  return {
    failure: new Error(`Lambda did not take the start of ${functionName}: ${status} (${type}).`),
    passes: status === 429 || status >= 500,
  };
}

async function signed(functionName: string, body: string) {
  const { credentials, region: regionOf } = dynamoClient().config;
  const [{ accessKeyId, secretAccessKey, sessionToken }, region] = await Promise.all([credentials(), regionOf()]);
  const signer = new AwsV4Signer({
    method: 'POST',
    url: `${endpointOf(region)}/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
    headers: { 'Content-Type': 'application/json', 'X-Amz-Invocation-Type': 'Event' },
    body,
    service: 'lambda',
    ...{ region, accessKeyId, secretAccessKey },
    ...(sessionToken !== undefined && { sessionToken }),
  });
  return signer.sign();
}

function endpointOf(region: string): string {
  const configured = process.env.AWS_ENDPOINT_URL_LAMBDA;
  if (configured) return configured.replace(/\/+$/, '');
  return `https://lambda.${region}.${SUFFIXES[region.slice(0, region.indexOf('-'))] ?? 'amazonaws.com'}`;
}
