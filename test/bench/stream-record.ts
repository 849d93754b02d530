import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
} from '@aws-sdk/client-kinesis';

type Stream = { kinesis: string; stream: string; region: string };

/** Returns the data of the record that `act` puts on the stream. */
export async function recordPutBy(
  { kinesis, stream, region }: Stream,
  act: () => Promise<unknown>,
): Promise<Uint8Array> {
  const client = new KinesisClient({
    endpoint: kinesis,
    region,
    // The default of this client is HTTP/2, which the stand-in does not support. The client of DynamoDB uses HTTP/1.
    requestHandler: new DynamoDBClient({ region }).config.requestHandler,
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamName: stream }));
  const iterators = await Promise.all(
    (StreamDescription?.Shards ?? []).map(({ ShardId }) =>
      client.send(new GetShardIteratorCommand({ StreamName: stream, ShardId, ShardIteratorType: 'LATEST' })),
    ),
  );
  await act();
  const reads = await Promise.all(
    iterators.map(({ ShardIterator }) => client.send(new GetRecordsCommand({ ShardIterator }))),
  );
  client.destroy();
  const record = reads.flatMap(({ Records }) => Records ?? [])[0]?.Data;
  if (record === undefined) throw new Error('No record arrived on the stream.');
  return record;
}
