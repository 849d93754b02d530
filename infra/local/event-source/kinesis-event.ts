import type { KinesisStreamEvent } from 'aws-lambda';
import { ACCOUNT_ID, REGION, STREAM } from '../runtime/environment.ts';
import type { EncodedKinesisRecord } from './kinesis-source.ts';

/** Creates the event by which Lambda passes stream records to a function. */
export function toKinesisEvent(shard: string, records: readonly EncodedKinesisRecord[]): KinesisStreamEvent {
  return {
    Records: records.map(({ sequenceNumber, partitionKey, data, arrivedAtMs }) => ({
      awsRegion: REGION,
      eventID: `${shard}:${sequenceNumber}`,
      eventName: 'aws:kinesis:record',
      eventSource: 'aws:kinesis',
      eventSourceARN: `arn:aws:kinesis:${REGION}:${ACCOUNT_ID}:stream/${STREAM}`,
      eventVersion: '1.0',
      invokeIdentityArn: `arn:aws:iam::${ACCOUNT_ID}:role/local`,
      kinesis: {
        approximateArrivalTimestamp: arrivedAtMs / 1000,
        data,
        kinesisSchemaVersion: '1.0',
        partitionKey,
        sequenceNumber,
      },
    })),
  };
}
