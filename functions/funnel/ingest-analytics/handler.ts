import { warnOfEventSpelling } from '../../../shared/analytics/events/accept-events.ts';
import { classifyClient } from '../../../shared/analytics/events/client-class.ts';
import type { EventStream } from '../../../shared/analytics/events/event-stream.ts';
import { type IngestPorts, ingest } from '../../../shared/analytics/events/ingest.ts';
import { kinesisEventStream } from '../../../shared/analytics/events/kinesis-event-stream.ts';
import { dynamoFunnels } from '../../../shared/directory/dynamo-funnels.ts';
import type { Funnels } from '../../../shared/directory/funnel.ts';
import { openFunnel } from '../../../shared/directory/open-funnel.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { ingestAnalytics } from './operation.ts';

export const createHandler = (ports: IngestPorts & { funnels: Funnels }) =>
  publicEndpoint(ingestAnalytics, async ({ path, body, headers, requestId, warnings }) => {
    warnOfEventSpelling(warnings, body.events);
    const funnel = await openFunnel(ports.funnels, ports.clock, path.id, headers.origin);
    const stream: EventStream = { append: (record) => ports.stream.append(record, requestId) };
    return ingest({ ...ports, stream }, funnel, body.events, classifyClient(headers));
  });

export const handler = createHandler({ funnels: dynamoFunnels(), stream: kinesisEventStream(), clock: systemClock });
