import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
} from '@aws-sdk/client-kinesis';
import { STREAM } from '../runtime/environment.ts';

/** A record as the event source hands it on; `data` is base64. */
export type EncodedKinesisRecord = { sequenceNumber: string; partitionKey: string; data: string; arrivedAtMs: number };

export type StreamSource = {
  shards(): Promise<string[]>;
  /** Where to read from: behind a record, or from the oldest one. */
  iterator(shard: string, after: string | undefined): Promise<string>;
  read(iterator: string, recordsMax: number): Promise<{ records: EncodedKinesisRecord[]; next: string | undefined }>;
};

export function createKinesisSource(kinesis: KinesisClient): StreamSource {
  return {
    shards: async () => {
      const { Shards = [] } = await kinesis.send(new ListShardsCommand({ StreamName: STREAM }));
      return Shards.flatMap(({ ShardId }) => ShardId ?? []);
    },
    iterator: async (ShardId, after) => {
      const start =
        after === undefined
          ? { ShardIteratorType: 'TRIM_HORIZON' as const }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, StartingSequenceNumber: after };
      const answer = await kinesis.send(new GetShardIteratorCommand({ StreamName: STREAM, ShardId, ...start }));
      if (answer.ShardIterator === undefined) throw new Error(`No iterator for ${ShardId}.`);
      return answer.ShardIterator;
    },
    read: async (ShardIterator, Limit) => {
      const answer = await kinesis.send(new GetRecordsCommand({ ShardIterator, Limit }));
      const records = (answer.Records ?? []).map(({ SequenceNumber = '', PartitionKey = '', Data, ...record }) => ({
        sequenceNumber: SequenceNumber,
        partitionKey: PartitionKey,
        data: Buffer.from(Data ?? []).toString('base64'),
        arrivedAtMs: record.ApproximateArrivalTimestamp?.getTime() ?? 0,
      }));
      return { records, next: answer.NextShardIterator };
    },
  };
}
