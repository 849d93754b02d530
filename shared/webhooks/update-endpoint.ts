import type { Clock } from '../platform/clock.ts';
import type { EndpointUrlOptions } from './endpoint-url.ts';
import type { EndpointRepository } from './ports.ts';
import { requireEndpointUrl } from './require-endpoint-url.ts';
import { unknownEndpoint } from './unknown-endpoint.ts';
import type { WebhookEndpoint, WebhookEndpointChanges, WebhookEndpointIds } from './webhook-endpoint.ts';

export type UpdateEndpointPorts = {
  endpoints: Pick<EndpointRepository, 'update'>;
  urlOptions(): EndpointUrlOptions;
  clock: Clock;
};

/**
 * Replaces the given properties of an endpoint.
 *
 * @throws HttpError 400 for a URL that messages are not sent to, 404 for an unknown endpoint
 * @throws UnavailableError
 */
export async function updateEndpoint(
  { endpoints, urlOptions, clock }: UpdateEndpointPorts,
  ids: WebhookEndpointIds,
  { url, enabled, ...changes }: WebhookEndpointChanges,
): Promise<WebhookEndpoint> {
  const updated = await endpoints.update(ids, {
    ...changes,
    url: url === undefined ? undefined : requireEndpointUrl(url, urlOptions()),
    isEnabled: enabled,
    updatedAt: new Date(clock.now()).toISOString(),
  });
  if (updated === undefined) throw unknownEndpoint();
  return updated;
}
