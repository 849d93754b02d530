import * as z from 'zod/mini';
import type { Funnel } from '../../funnels/funnel.ts';
import { HttpError } from '../../http/errors.ts';
import { docText, withDocs } from '../../http/schema-docs.ts';
import { ErrorCode } from '../../http/schemas.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ClientClass } from './client-class.ts';
import type { EventStreamWriter } from './ports.ts';
import { splitIntoRecords } from './stream-records.ts';
import { validateAndEnrichEvents } from './validate-and-enrich-events.ts';

const RETRY_AFTER_SECONDS = 2;

const RejectedEvent = withDocs(z.object({ index: z.int(), code: ErrorCode, message: z.string() }), {
  id: 'RejectedEvent',
});

export const IngestReceipt = z.object({
  received: withDocs(
    z.int(),
    docText('Number of accepted events, including repeated ones. A repeated event does not change the analytics.'),
  ),
  rejected: withDocs(
    z.optional(z.array(RejectedEvent)),
    docText('Rejected events with their index in the batch. Absent when no event was rejected.'),
  ),
});
export type IngestReceipt = z.output<typeof IngestReceipt>;

export type IngestPorts = { stream: EventStreamWriter; clock: Clock };

/** Where a batch of events comes from. */
export type BatchOrigin = {
  funnel: Pick<Funnel, 'id' | 'orgId'>;
  client: ClientClass;
  /** Id of the HTTP request. The stream consumer logs this id if it cannot read or store a record of the request. */
  requestId?: string;
};

/**
 * Ingests a batch of events. All accepted events are durable when the promise resolves.
 *
 * @throws HttpError 503 when the stream is unavailable; the client can safely resend the whole batch
 */
export async function ingestEvents(
  { stream, clock }: IngestPorts,
  { funnel, client, requestId }: BatchOrigin,
  events: readonly unknown[],
): Promise<IngestReceipt> {
  const arrival = { funnelId: funnel.id, organizationId: funnel.orgId, atMs: clock.now(), client };
  const { lines, rejected } = validateAndEnrichEvents(events, arrival);
  await Promise.all(splitIntoRecords(lines).map((record) => append(stream, record, requestId)));
  return { received: lines.length, ...(rejected.length > 0 && { rejected }) };
}

async function append(stream: EventStreamWriter, record: Uint8Array, requestId: string | undefined): Promise<void> {
  try {
    await stream.append(record, requestId);
  } catch (cause) {
    throw new HttpError(503, 'The events could not be stored. Send the whole batch again.', {
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
      cause,
    });
  }
}
