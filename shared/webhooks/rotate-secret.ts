import { randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import { currentSecret } from './endpoint-secrets.ts';
import type { EndpointReader, EndpointRepository } from './ports.ts';
import { unknownEndpoint } from './unknown-endpoint.ts';
import type { WebhookEndpoint, WebhookEndpointIds } from './webhook-endpoint.ts';

export type RotateSecretPorts = {
  endpoints: Pick<EndpointReader, 'find'> & Pick<EndpointRepository, 'rotateSecret'>;
  readSecret(): Promise<string>;
  clock: Clock;
};

/** A second rotation within this time is treated as a repeated request, for example because the response was lost. */
const REPEATED_WITHIN_MS = 60_000;

/**
 * Gives an endpoint a new signing secret. The old secret stays valid for another day, or until the next rotation,
 * because only two secrets are valid at a time. Concurrent rotations, and a rotation within a minute after another,
 * therefore return the same new secret.
 *
 * @throws HttpError 404 for an unknown endpoint
 * @throws UnavailableError
 */
export async function rotateSecret(
  { endpoints, readSecret, clock }: RotateSecretPorts,
  ids: WebhookEndpointIds,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const masterSecret = await readSecretOrUnavailable(readSecret);
  const seen = await endpoints.find(ids);
  if (seen === undefined) throw unknownEndpoint();
  const nowMs = clock.now();
  const isRepeated = seen.secretRotatedAt !== null && nowMs < Date.parse(seen.secretRotatedAt) + REPEATED_WITHIN_MS;
  if (isRepeated) return { endpoint: seen, secret: currentSecret(masterSecret, seen) };
  const endpoint = await endpoints.rotateSecret(ids, {
    seen: seen.secretGeneration,
    next: randomUUID(),
    rotatedAt: new Date(nowMs).toISOString(),
  });
  if (endpoint === undefined) throw unknownEndpoint();
  return { endpoint, secret: currentSecret(masterSecret, endpoint) };
}
