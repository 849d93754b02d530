import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
} from '@aws-sdk/client-kinesis';
import { STREAM } from '../runtime/environment.ts';

/** A record of the stream. `data` is base64. */
export type EncodedKinesisRecord = { sequenceNumber: string; partitionKey: string; data: string; arrivedAtMs: number };

export type StreamSource = {
  listShards(): Promise<string[]>;
  /** Returns an iterator that starts after the given record, or at the oldest record if none is given. */
  getIterator(shard: string, afterSequenceNumber: string | undefined): Promise<string>;
  read(iterator: string, recordsMax: number): Promise<{ records: EncodedKinesisRecord[]; next: string | undefined }>;
};

export function createKinesisSource(kinesis: KinesisClient): StreamSource {
  return {
    listShards: async () => {
      const { Shards = [] } = await kinesis.send(new ListShardsCommand({ StreamName: STREAM }));
      return Shards.flatMap(({ ShardId }) => ShardId ?? []);
    },
    getIterator: async (ShardId, afterSequenceNumber) => {
      const start =
        afterSequenceNumber === undefined
          ? { ShardIteratorType: 'TRIM_HORIZON' as const }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, StartingSequenceNumber: afterSequenceNumber };
      const { ShardIterator } = await kinesis.send(
        new GetShardIteratorCommand({ StreamName: STREAM, ShardId, ...start }),
      );
      if (ShardIterator === undefined) throw new Error(`Kinesis returned no iterator for ${ShardId}.`);
      return ShardIterator;
    },
    read: async (ShardIterator, Limit) => {
      const { Records = [], NextShardIterator } = await kinesis.send(new GetRecordsCommand({ ShardIterator, Limit }));
      const records = Records.map(({ SequenceNumber = '', PartitionKey = '', Data, ApproximateArrivalTimestamp }) => ({
        sequenceNumber: SequenceNumber,
        partitionKey: PartitionKey,
        data: Buffer.from(Data ?? []).toString('base64'),
        arrivedAtMs: ApproximateArrivalTimestamp?.getTime() ?? 0,
      }));
      return { records, next: NextShardIterator };
    },
  };
}
