import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import type { Clock } from '../platform/clock.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import type { Attempt, SendMessage } from './attempt.ts';
import { signingSecrets } from './endpoint-secrets.ts';
import type { EndpointReader } from './ports.ts';
import { headersOf } from './sign-message.ts';
import { createTestMessage } from './test-message.ts';
import { unknownEndpoint } from './unknown-endpoint.ts';
import type { WebhookEndpointIds } from './webhook-endpoint.ts';

/** The outcome of a test message. */
export const EndpointTest = withDocs(
  z.object({
    delivered: z.boolean(),
    messageId: withDocs(z.string(), docText('The value of the header `webhook-id`.')),
    status: withDocs(z.nullable(z.number()), docText('Null without a response.')),
    durationMs: z.number(),
    problem: withDocs(z.nullable(z.string()), docText('Why the message was not delivered, and what to do.')),
  }),
  { id: 'WebhookEndpointTest' },
);
export type EndpointTest = z.output<typeof EndpointTest>;

export type TestEndpointPorts = {
  endpoints: Pick<EndpointReader, 'find'>;
  readSecret(): Promise<string>;
  send: SendMessage;
  clock: Clock;
};

/**
 * Sends a test message to an endpoint, in one attempt, even if the endpoint is disabled or paused.
 *
 * @throws HttpError 404 for an unknown endpoint
 * @throws UnavailableError
 */
export async function testEndpoint(
  { endpoints, readSecret, send, clock }: TestEndpointPorts,
  ids: WebhookEndpointIds,
): Promise<EndpointTest> {
  const endpoint = await endpoints.find(ids);
  if (endpoint === undefined) throw unknownEndpoint();
  const masterSecret = await readSecretOrUnavailable(readSecret);
  const nowMs = clock.now();
  const { id, body } = createTestMessage({ ...ids, nowMs });
  const timestampSeconds = Math.floor(nowMs / 1_000);
  const headers = headersOf({ id, timestampSeconds, body, secrets: signingSecrets(masterSecret, endpoint, nowMs) });
  return describeAttempt(id, await send({ url: endpoint.url, headers, body }));
}

const describeAttempt = (messageId: string, attempt: Attempt): EndpointTest => ({
  delivered: attempt.outcome === 'responded' && isSuccess(attempt.status),
  messageId,
  status: attempt.outcome === 'responded' ? attempt.status : null,
  durationMs: Math.round(attempt.durationMs),
  problem: problemOf(attempt),
});

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function problemOf(attempt: Attempt): string | null {
  if (attempt.outcome === 'refused') return attempt.explanation;
  if (attempt.outcome === 'failed') return `${FAILURES[attempt.reason]} Detail: ${attempt.message}.`;
  if (isSuccess(attempt.status)) return null;
  if (attempt.status >= 300 && attempt.status < 400) {
    return 'The receiver redirects, and redirects are not followed. Change the URL of the endpoint to the final URL.';
  }
  if (attempt.status === 401 || attempt.status === 403) {
    return `The receiver responded with status ${attempt.status}. Check that it uses the signing secret of this endpoint.`;
  }
  return `The receiver responded with status ${attempt.status}. It must respond with a status from 200 to 299.`;
}

const FAILURES: Record<Extract<Attempt, { outcome: 'failed' }>['reason'], string> = {
  dns: 'The hostname cannot be resolved. Check the hostname in the URL of the endpoint.',
  connect: 'The receiver does not accept connections. Check its port and its firewall.',
  tls: 'The TLS connection failed. Check that the certificate is valid for the hostname and not expired.',
  timeout:
    'The receiver did not respond within 10 seconds. Check that it is reachable, and let it respond before it ' +
    'processes the message.',
  closed:
    'The connection was closed before the response was complete, or the response was invalid. See the log of the receiver.',
};
