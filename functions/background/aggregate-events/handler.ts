import type { KinesisStreamBatchResponse, KinesisStreamEvent, KinesisStreamRecord } from 'aws-lambda';
import { requestIdIn } from '../../../shared/analytics/events/event-stream.ts';
import { s3SetAside } from '../../../shared/analytics/events/s3-set-aside.ts';
import type { StreamRecord } from '../../../shared/analytics/events/set-aside.ts';
import { type AggregatePorts, aggregate } from '../../../shared/analytics/facts/aggregate.ts';
import { dynamoFreshFacts } from '../../../shared/analytics/facts/dynamo-fresh-facts.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Reports the first record whose effect is not stored: the event source delivers again from there. */
export const createHandler =
  (ports: AggregatePorts & { log: Logger }) =>
  async (event: KinesisStreamEvent): Promise<KinesisStreamBatchResponse> => {
    const outcomes = await aggregate(ports, event.Records.map(recordOf));
    const requestIds = new Map(
      event.Records.map(({ kinesis }) => [kinesis.sequenceNumber, requestIdIn(kinesis.partitionKey)]),
    );
    for (const { sequenceNumber, ...outcome } of outcomes) {
      const requestId = requestIds.get(sequenceNumber);
      if (outcome.outcome === 'set aside') {
        ports.log.warn('record set aside', { sequenceNumber, requestId, reason: outcome.reason });
        ports.log.recordMetric('RecordsSetAside');
      }
      if (outcome.outcome === 'failed')
        ports.log.error('record not stored', outcome.cause, { sequenceNumber, requestId });
    }
    const failed = outcomes.find(({ outcome }) => outcome === 'failed');
    return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed.sequenceNumber }] };
  };

/** An event id is the shard's id, a colon and the sequence number. */
const recordOf = ({ eventID, kinesis }: KinesisStreamRecord): StreamRecord => ({
  shard: eventID.slice(0, eventID.indexOf(':')),
  sequenceNumber: kinesis.sequenceNumber,
  data: Buffer.from(kinesis.data, 'base64'),
});

export const handler = createHandler({
  fresh: dynamoFreshFacts(),
  setAside: s3SetAside(),
  log: createJsonLogger({ function: 'background/aggregate-events' }),
});
