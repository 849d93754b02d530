import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { HttpError } from '../http/errors.ts';
import { docText, withDocs } from '../http/schema-docs.ts';
import { strictObject } from '../http/schemas.ts';
import type { Clock } from '../platform/clock.ts';
import type { EndpointReader } from '../webhooks/ports.ts';
import { unknownEndpoint } from '../webhooks/unknown-endpoint.ts';
import type { WebhookEndpointIds } from '../webhooks/webhook-endpoint.ts';
import { HISTORY_DAYS } from './delivery.ts';
import { toIsoString } from './lane.ts';
import type { DeliveryHistory, EndpointStateRepository, LaneRepository } from './ports.ts';

/** The request body for the redelivery of several messages. */
export const RedeliveryRequestBody = withDocs(
  strictObject({
    since: withDocs(
      z.iso.datetime({ offset: true, error: 'must be an RFC 3339 instant, for example 2026-05-31T08:00:00Z' }),
      docText('Messages whose first attempt was at this time or later are sent again.'),
    ),
    includeDelivered: z.optional(withDocs(z.boolean(), docText('Whether delivered messages are sent again, too.'))),
  }),
  { id: 'NewWebhookRedelivery' },
);

export const Redelivery = withDocs(
  z.object({ since: z.string(), includeDelivered: z.boolean(), requestedAt: z.string() }),
  { id: 'WebhookRedelivery' },
);

type Endpoints = { endpoints: Pick<EndpointReader, 'find'>; clock: Clock };

export type RedeliverPorts = Endpoints & {
  history: Pick<DeliveryHistory, 'find'>;
  lanes: Pick<LaneRepository, 'redeliver'>;
  endpointStates: Pick<EndpointStateRepository, 'wake'>;
};

/**
 * Requests that a message is sent again, with a new id and the current state of its subject. If an earlier request for
 * the same type and subject is not fulfilled yet, both requests together cause only one message.
 *
 * @throws HttpError 400 for a disabled or paused endpoint, 404 for an unknown endpoint or message
 * @throws UnavailableError
 */
export async function redeliver(
  { endpoints, history, lanes, endpointStates, clock }: RedeliverPorts,
  { messageId, ...ids }: WebhookEndpointIds & { messageId: string },
): Promise<void> {
  await requireActiveEndpoint(endpoints, ids);
  const delivery = await history.find(ids.endpointId, messageId, clock.now());
  if (delivery === undefined) {
    throw new HttpError(
      404,
      `No message with this id was sent to the endpoint in the last ${HISTORY_DAYS} days (path.messageId).`,
    );
  }
  const { orgId, type, seq } = delivery;
  await lanes.redeliver(delivery, { orgId, type, seq, redeliveryId: randomUUID(), atMs: clock.now() });
  await endpointStates.wake(ids.endpointId, clock.now());
}

export type RedeliverSincePorts = Endpoints & {
  endpointStates: Pick<EndpointStateRepository, 'wake' | 'startRedelivery'>;
};

/**
 * Asks the dispatcher to send again the failed messages whose first attempt was at `since` or later. With
 * `includeDelivered`, the dispatcher also sends the delivered messages again. Each repeated message has a new id and
 * the current state of its subject. If a redelivery with the same parameters is running, returns that redelivery.
 *
 * @throws HttpError 400 for a future time, a disabled or paused endpoint, and if a redelivery with other parameters is
 *   running; 404 for an unknown endpoint
 * @throws UnavailableError
 */
export async function redeliverSince(
  { endpoints, endpointStates, clock }: RedeliverSincePorts,
  ids: WebhookEndpointIds,
  { since: given, includeDelivered = false }: z.output<typeof RedeliveryRequestBody>,
): Promise<z.output<typeof Redelivery>> {
  await requireActiveEndpoint(endpoints, ids);
  const nowMs = clock.now();
  const since = toIsoString(Date.parse(given));
  if (Date.parse(since) > nowMs) throw new HttpError(400, 'The time "since" must not be in the future (body.since).');
  const requested = { id: randomUUID(), since, requestedAt: toIsoString(nowMs), includeDelivered };
  const running = await endpointStates.startRedelivery(ids.endpointId, requested);
  if (running.since !== since || running.includeDelivered !== includeDelivered) {
    throw new HttpError(
      400,
      'Another redelivery to this endpoint is running, with other parameters. Try again when it has ended.',
    );
  }
  await endpointStates.wake(ids.endpointId, nowMs);
  return { since, includeDelivered, requestedAt: running.requestedAt };
}

async function requireActiveEndpoint(endpoints: Pick<EndpointReader, 'find'>, ids: WebhookEndpointIds): Promise<void> {
  const endpoint = await endpoints.find(ids);
  if (endpoint === undefined) throw unknownEndpoint();
  if (!endpoint.isEnabled || endpoint.pausedAt !== null) {
    throw new HttpError(400, 'The webhook endpoint is disabled or paused. Enable the endpoint first.');
  }
}
