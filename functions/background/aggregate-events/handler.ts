import type { KinesisStreamBatchResponse, KinesisStreamEvent, KinesisStreamRecord } from 'aws-lambda';
import { createDynamoFreshFactRepository } from '../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createS3DeadLetterStore } from '../../../shared/analytics/ingest/aws/s3-dead-letters.ts';
import { type ConsumePorts, consumeRecords } from '../../../shared/analytics/ingest/consume-records.ts';
import { type ReceivedRecord, requestIdFromPartitionKey } from '../../../shared/analytics/ingest/stream-records.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Reports the first record that was not stored, if any. The event source mapping then retries from that record on. */
export const createHandler =
  (ports: ConsumePorts & { log: Logger }) =>
  async (event: KinesisStreamEvent): Promise<KinesisStreamBatchResponse> => {
    const outcomes = await consumeRecords(ports, event.Records.map(recordOf));
    const requestIds = new Map(
      event.Records.map(({ kinesis }) => [kinesis.sequenceNumber, requestIdFromPartitionKey(kinesis.partitionKey)]),
    );
    for (const { sequenceNumber, ...outcome } of outcomes) {
      const requestId = requestIds.get(sequenceNumber);
      if (outcome.outcome === 'dead_lettered') {
        ports.log.warn('A dead letter was stored.', { sequenceNumber, requestId, reason: outcome.reason });
        ports.log.recordMetric('DeadLettersStored');
      }
      if (outcome.outcome === 'failed')
        ports.log.error('A record of the stream could not be stored. It is delivered again.', outcome.cause, {
          sequenceNumber,
          requestId,
        });
    }
    const failed = outcomes.find(({ outcome }) => outcome === 'failed');
    return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed.sequenceNumber }] };
  };

/** An event id is the shard's id, a colon and the sequence number. */
const recordOf = ({ eventID, kinesis }: KinesisStreamRecord): ReceivedRecord => ({
  shard: eventID.slice(0, eventID.indexOf(':')),
  sequenceNumber: kinesis.sequenceNumber,
  data: Buffer.from(kinesis.data, 'base64'),
});

export const handler = createHandler({
  fresh: createDynamoFreshFactRepository(),
  deadLetters: createS3DeadLetterStore(),
  log: createJsonLogger({ function: 'background/aggregate-events' }),
});
