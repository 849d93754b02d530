import * as z from 'zod/mini';
import { HttpError } from '../http/errors.ts';
import { docText, withDocs } from '../http/schema-docs.ts';
import type { Clock } from '../platform/clock.ts';
import { ATTEMPT_FAILURES } from '../webhooks/attempt.ts';
import type { EndpointReader } from '../webhooks/ports.ts';
import { unknownEndpoint } from '../webhooks/unknown-endpoint.ts';
import { EVENT_TYPES, type WebhookEndpointIds } from '../webhooks/webhook-endpoint.ts';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus, effectiveStatus } from './delivery.ts';
import type { DeliveryHistory } from './ports.ts';

export const DELIVERIES_PER_PAGE = 50;
/** Limits the time of a request. If a status is rare, many reads find few deliveries. */
const READS_PER_PAGE_MAX = 10;

export const CURSOR = /^[\w-]{1,120}$/;

export const DeliveriesQuery = z.object({
  status: z.optional(withDocs(z.enum(DELIVERY_STATUSES), docText('Only deliveries with this status.'))),
  cursor: z.optional(
    withDocs(
      z.string().check(z.regex(CURSOR, 'must be the nextCursor of an earlier page')),
      docText('`nextCursor` of the previous page.'),
    ),
  ),
});

const WebhookDelivery = withDocs(
  z.object({
    messageId: withDocs(z.string(), docText('The value of the header `webhook-id`.')),
    type: z.enum(EVENT_TYPES),
    subject: withDocs(
      z.record(z.string(), z.string()),
      docText('What the message is about: its `kind` and its ids, for example `funnelId` and `leadId`.'),
    ),
    seq: withDocs(z.number(), docText('`seq` of the state that the message shows.')),
    status: withDocs(
      z.enum(DELIVERY_STATUSES),
      docText('`pending`: another attempt follows. `failed`: no attempt was accepted, and none follows.'),
    ),
    firstAttemptAt: z.string(),
    attempts: z.array(
      z.object({
        number: withDocs(
          z.number(),
          docText(
            'If a number is missing, the outcome of that attempt is unknown. The receiver may have got the message.',
          ),
        ),
        startedAt: z.string(),
        durationMs: z.number(),
        status: withDocs(z.nullable(z.number()), docText('The status of the response. Null without a response.')),
        problem: withDocs(
          z.nullable(z.enum(ATTEMPT_FAILURES)),
          docText('Why there was no response. `refused`: messages are not sent to this URL or its addresses.'),
        ),
      }),
    ),
  }),
  { id: 'WebhookDelivery' },
);

export const WebhookDeliveries = withDocs(
  z.object({
    deliveries: z.array(WebhookDelivery),
    nextCursor: withDocs(z.nullable(z.string()), docText('Null on the last page.')),
  }),
  { id: 'WebhookDeliveries' },
);
export type WebhookDeliveries = z.output<typeof WebhookDeliveries>;

export type ListDeliveriesPorts = {
  endpoints: Pick<EndpointReader, 'find'>;
  history: Pick<DeliveryHistory, 'list'>;
  clock: Clock;
};

/**
 * Returns a page of the messages to an endpoint, sorted by first attempt, newest first. If `status` is given, a page
 * can be short or empty although another page follows.
 *
 * @throws HttpError 400 for a malformed cursor, 404 for an unknown endpoint
 * @throws UnavailableError
 */
export async function listDeliveries(
  { endpoints, history, clock }: ListDeliveriesPorts,
  ids: WebhookEndpointIds,
  { status, cursor }: { status?: DeliveryStatus | undefined; cursor?: string | undefined },
): Promise<WebhookDeliveries> {
  if ((await endpoints.find(ids)) === undefined) throw unknownEndpoint();
  const deliveries: Delivery[] = [];
  let before = cursor === undefined ? undefined : parseCursor(cursor);
  for (let reads = 0; reads < READS_PER_PAGE_MAX; reads++) {
    const page = await history.list(ids.endpointId, { before, nowMs: clock.now(), limit: DELIVERIES_PER_PAGE });
    before = page.next;
    for (const delivery of page.deliveries) {
      const settled = { ...delivery, status: effectiveStatus(delivery, clock.now()) };
      if (status !== undefined && settled.status !== status) continue;
      deliveries.push(settled);
      if (deliveries.length < DELIVERIES_PER_PAGE) continue;
      return describePage(deliveries, positionOf(delivery));
    }
    if (before === undefined) break;
  }
  return describePage(deliveries, before);
}

const positionOf = ({ firstAttemptAt, messageId }: Delivery): string => `${firstAttemptAt}#${messageId}`;

const describePage = (deliveries: readonly Delivery[], next: string | undefined): WebhookDeliveries => ({
  deliveries: deliveries.map(({ orgId: _organization, endpointId: _endpoint, ...delivery }) => delivery),
  nextCursor: next === undefined ? null : Buffer.from(next).toString('base64url'),
});

const POSITION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#msg_[0-9a-f-]{36}$/;

function parseCursor(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString();
  if (!POSITION.test(position)) throw new HttpError(400, 'query.cursor must be the nextCursor of an earlier page.');
  return position;
}
