import { KinesisClient } from '@aws-sdk/client-kinesis';
import { plainDynamo } from './clients.ts';
import { once } from './once.ts';

/**
 * The Kinesis client, made on first use. It speaks HTTP/1.1 through DynamoDB's request handler: its own default is
 * HTTP/2, which the embedded Kinesis does not know.
 */
export const kinesis = once(
  () =>
    new KinesisClient({ maxAttempts: 4, cacheMiddleware: true, requestHandler: plainDynamo().config.requestHandler }),
);
