import { randomUUID } from 'node:crypto';
import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import { uuidV7 } from '../platform/uuid-v7.ts';
import type { NewWebhookEndpoint } from './endpoint-schemas.ts';
import { currentSecret } from './endpoint-secrets.ts';
import type { EndpointUrlOptions } from './endpoint-url.ts';
import type { EndpointRepository } from './ports.ts';
import { requireEndpointUrl } from './require-endpoint-url.ts';
import { ENDPOINTS_MAX, type WebhookEndpoint } from './webhook-endpoint.ts';

export type CreateEndpointPorts = {
  endpoints: Pick<EndpointRepository, 'add'>;
  /** Reads the master secret, from which signing secrets derive. */
  readSecret(): Promise<string>;
  urlOptions(): EndpointUrlOptions;
  clock: Clock;
};

/**
 * Creates an enabled endpoint. Reads the master secret first, so that nothing is stored if the secret cannot be read.
 * If the response is lost, the endpoint exists, but the caller does not know its signing secret. The caller can then
 * rotate the secret, and gets the new secret in the response.
 *
 * @throws HttpError 400 for a URL that messages are not sent to, and when the organization has `ENDPOINTS_MAX`
 *   endpoints
 * @throws UnavailableError
 */
export async function createEndpoint(
  { endpoints, readSecret, urlOptions, clock }: CreateEndpointPorts,
  orgId: string,
  { url, eventTypes, description }: NewWebhookEndpoint,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const nowMs = clock.now();
  const createdAt = new Date(nowMs).toISOString();
  const endpoint: WebhookEndpoint = {
    id: uuidV7(nowMs),
    url: requireEndpointUrl(url, urlOptions()),
    eventTypes,
    description: description ?? null,
    isEnabled: true,
    pausedAt: null,
    failingSince: null,
    secretGeneration: randomUUID(),
    previousSecretGeneration: null,
    secretRotatedAt: null,
    createdAt,
    updatedAt: createdAt,
  };
  const secret = currentSecret(await readSecretOrUnavailable(readSecret), endpoint);
  if ((await endpoints.add(orgId, endpoint)) === 'full') {
    throw new HttpError(
      400,
      `The organization has ${ENDPOINTS_MAX} webhook endpoints, which is the maximum. Delete one of them first.`,
    );
  }
  return { endpoint, secret };
}
