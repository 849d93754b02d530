import { STREAM } from '../runtime/environment.ts';

/** A record of the stream. `data` is base64. */
export type EncodedKinesisRecord = { sequenceNumber: string; partitionKey: string; data: string; arrivedAtMs: number };

export type StreamSource = {
  listShards(): Promise<string[]>;
  /** Reads the records after the given record, or from the oldest record if none is given. */
  read(shard: string, afterSequenceNumber: string | undefined, recordsMax: number): Promise<EncodedKinesisRecord[]>;
};

/** A position in a shard (undefined: before its oldest record), and an iterator that starts there. */
type Position = { afterSequenceNumber: string | undefined; iterator: string; renewAtMs: number };

/** Age at which an iterator is replaced. Iterators expire after 5 minutes. */
const ITERATOR_LIFETIME_MS = 4 * 60_000;

/** The fields that this file reads from the responses of Kinesis. Each response has some of them. */
type KinesisResponse = {
  Shards?: { ShardId: string }[];
  ShardIterator?: string;
  NextShardIterator?: string;
  Records?: {
    SequenceNumber: string;
    PartitionKey: string;
    Data: string;
    /** Seconds since 1970. */
    ApproximateArrivalTimestamp: number;
  }[];
};

/** The stand-in of Kinesis requires these headers, but does not check the signature. */
const HEADERS = {
  'content-type': 'application/x-amz-json-1.1',
  'x-amz-date': '19700101T000000Z',
  authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=local, Signature=local',
};

/**
 * Creates a source that reads the stream of the Kinesis stand-in. Its methods throw if a request fails. Does not use the
 * SDK, because the SDK decodes the data from Base64, and events of Lambda contain Base64. Under load, decoding and
 * encoding the data took a tenth of the CPU time of the background functions.
 *
 * @param endpoint URL of the Kinesis stand-in
 */
export function createKinesisSource(endpoint = process.env.AWS_ENDPOINT_URL_KINESIS ?? ''): StreamSource {
  const send = async (operation: string, request: object): Promise<KinesisResponse> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { ...HEADERS, 'x-amz-target': `Kinesis_20131202.${operation}` },
      body: JSON.stringify(request),
    });
    if (!response.ok)
      throw new Error(`Kinesis responded to ${operation} with ${response.status}: ${await response.text()}`);
    return (await response.json()) as KinesisResponse;
  };
  const getPosition = async (shard: string, afterSequenceNumber: string | undefined): Promise<Position> => {
    const start =
      afterSequenceNumber === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', StartingSequenceNumber: afterSequenceNumber };
    const { ShardIterator } = await send('GetShardIterator', { StreamName: STREAM, ShardId: shard, ...start });
    if (ShardIterator === undefined) throw new Error(`Kinesis returned no iterator for ${shard}.`);
    return toPosition(afterSequenceNumber, ShardIterator);
  };
  const positions = new Map<string, Position>();
  return {
    listShards: async () => {
      const { Shards = [] } = await send('ListShards', { StreamName: STREAM });
      return Shards.map(({ ShardId }) => ShardId);
    },
    read: async (shard, afterSequenceNumber, recordsMax) => {
      const known = positions.get(shard);
      const isUsable =
        known !== undefined && known.afterSequenceNumber === afterSequenceNumber && Date.now() < known.renewAtMs;
      const position = isUsable ? known : await getPosition(shard, afterSequenceNumber);
      // After a failed read, the next read uses a new iterator.
      positions.delete(shard);
      const response = await send('GetRecords', { ShardIterator: position.iterator, Limit: recordsMax });
      const { Records = [], NextShardIterator } = response;
      const last = Records.at(-1);
      // After an empty read, use the same iterator again. The iterator in the response would skip the first record of the
      // shard if the record is being written.
      if (last === undefined) positions.set(shard, position);
      else if (NextShardIterator !== undefined)
        positions.set(shard, toPosition(last.SequenceNumber, NextShardIterator));
      return Records.map(({ SequenceNumber, PartitionKey, Data, ApproximateArrivalTimestamp }) => ({
        sequenceNumber: SequenceNumber,
        partitionKey: PartitionKey,
        data: Data,
        arrivedAtMs: Math.round(ApproximateArrivalTimestamp * 1_000),
      }));
    },
  };
}

const toPosition = (afterSequenceNumber: string | undefined, iterator: string): Position => ({
  afterSequenceNumber,
  iterator,
  renewAtMs: Date.now() + ITERATOR_LIFETIME_MS,
});
