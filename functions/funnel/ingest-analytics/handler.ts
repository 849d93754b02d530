import { createKinesisEventStreamWriter } from '../../../shared/analytics/ingest/aws/kinesis-event-stream.ts';
import { classifyClient } from '../../../shared/analytics/ingest/client-class.ts';
import { type IngestPorts, ingestEvents } from '../../../shared/analytics/ingest/ingest-events.ts';
import { warnAboutMisspelledProperties } from '../../../shared/analytics/ingest/validate-and-enrich-events.ts';
import { getActiveFunnel } from '../../../shared/funnels/active-funnel.ts';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import type { FunnelRepository } from '../../../shared/funnels/ports.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { ingestAnalyticsOperation } from './operation.ts';

export const createHandler = (ports: IngestPorts & { funnels: FunnelRepository }) =>
  publicEndpoint(ingestAnalyticsOperation, async ({ path, body, headers, requestId, warnings }) => {
    warnAboutMisspelledProperties(warnings, body.events);
    const funnel = await getActiveFunnel(ports.funnels, ports.clock, path.id, headers.origin);
    return ingestEvents(ports, { funnel, client: classifyClient(headers), requestId }, body.events);
  });

export const handler = createHandler({
  funnels: createDynamoFunnelRepository(),
  stream: createKinesisEventStreamWriter(),
  clock: systemClock,
});
