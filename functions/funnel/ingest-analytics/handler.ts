import { warnOfEventSpelling } from '../../../shared/analytics/events/accept-events.ts';
import { classifyClient } from '../../../shared/analytics/events/client-class.ts';
import type { EventStream } from '../../../shared/analytics/events/event-stream.ts';
import { type IngestPorts, ingest } from '../../../shared/analytics/events/ingest.ts';
import { kinesisEventStream } from '../../../shared/analytics/events/kinesis-event-stream.ts';
import { getActiveFunnel } from '../../../shared/funnels/active-funnel.ts';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import type { FunnelRepository } from '../../../shared/funnels/funnel.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { ingestAnalyticsOperation } from './operation.ts';

export const createHandler = (ports: IngestPorts & { funnels: FunnelRepository }) =>
  publicEndpoint(ingestAnalyticsOperation, async ({ path, body, headers, requestId, warnings }) => {
    warnOfEventSpelling(warnings, body.events);
    const funnel = await getActiveFunnel(ports.funnels, ports.clock, path.id, headers.origin);
    const stream: EventStream = { append: (record) => ports.stream.append(record, requestId) };
    return ingest({ ...ports, stream }, funnel, body.events, classifyClient(headers));
  });

export const handler = createHandler({
  funnels: createDynamoFunnelRepository(),
  stream: kinesisEventStream(),
  clock: systemClock,
});
