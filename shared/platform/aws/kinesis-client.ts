import { KinesisClient } from '@aws-sdk/client-kinesis';
import { once } from '../once.ts';
import { dynamoClient } from './dynamo-client.ts';

/**
 * The Kinesis client, made on first use. It speaks HTTP/1.1 through DynamoDB's request handler: its own default is
 * HTTP/2, which the embedded Kinesis does not know.
 */
export const kinesisClient = once(
  () =>
    new KinesisClient({ maxAttempts: 4, cacheMiddleware: true, requestHandler: dynamoClient().config.requestHandler }),
);
