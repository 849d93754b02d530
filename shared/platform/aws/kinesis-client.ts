import { KinesisClient } from '@aws-sdk/client-kinesis';
import { once } from '../once.ts';
import { dynamoClient } from './dynamo-client.ts';

/**
 * Uses the HTTP/1.1 request handler of the DynamoDB client. The SDK's default for Kinesis is HTTP/2, but the embedded
 * Kinesis does not support it.
 */
export const kinesisClient = once(
  () =>
    new KinesisClient({ maxAttempts: 4, cacheMiddleware: true, requestHandler: dynamoClient().config.requestHandler }),
);
