import type { Clock } from '../platform/clock.ts';
import type { WebhookEndpointChanges } from './endpoint-schemas.ts';
import type { EndpointUrlOptions } from './endpoint-url.ts';
import type { EndpointRepository } from './ports.ts';
import { requireEndpointUrl } from './require-endpoint-url.ts';
import { unknownEndpoint } from './unknown-endpoint.ts';
import type { WebhookEndpoint, WebhookEndpointIds } from './webhook-endpoint.ts';

export type UpdateEndpointPorts = {
  endpoints: Pick<EndpointRepository, 'update'>;
  /** Resumes sending: parked lanes become due, and the number of failed attempts is reset. Idempotent. */
  resume(endpointId: string): Promise<void>;
  urlOptions(): EndpointUrlOptions;
  clock: Clock;
};

/**
 * Replaces the given properties of an endpoint. Any value of `enabled` ends a pause; a new URL alone does not. With
 * `enabled: true` or a URL, also calls `resume`. If `resume` fails, the change is already stored, and the client can
 * repeat the request.
 *
 * @throws HttpError 400 for a URL that messages are not sent to, 404 for an unknown endpoint
 * @throws UnavailableError
 */
export async function updateEndpoint(
  { endpoints, resume, urlOptions, clock }: UpdateEndpointPorts,
  ids: WebhookEndpointIds,
  { url, enabled, ...changes }: WebhookEndpointChanges,
): Promise<WebhookEndpoint> {
  const updated = await endpoints.update(ids, {
    ...changes,
    url: url === undefined ? undefined : requireEndpointUrl(url, urlOptions()),
    isEnabled: enabled,
    ...(enabled !== undefined && { pausedAt: null, failingSince: null }),
    updatedAt: new Date(clock.now()).toISOString(),
  });
  if (updated === undefined) throw unknownEndpoint();
  if (enabled || url !== undefined) await resume(ids.endpointId);
  return updated;
}
