import { KinesisClient } from '@aws-sdk/client-kinesis';
import { once } from '../once.ts';
import { dynamoClient } from './dynamo-client.ts';

/**
 * Uses HTTP/1.1 through DynamoDB's request handler, because the SDK's default for Kinesis is HTTP/2, which the embedded
 * Kinesis does not support.
 */
export const kinesisClient = once(
  () =>
    new KinesisClient({ maxAttempts: 4, cacheMiddleware: true, requestHandler: dynamoClient().config.requestHandler }),
);
