import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { once } from './once.ts';

const MAX_ATTEMPTS = 4;

/**
 * The plain client, for hot paths: it keeps the handlers it composes for a command, a third of a call's time, which
 * the document client does not allow. Made on first use and kept for the life of the warm function.
 */
export const plainDynamo = once(() => new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS, cacheMiddleware: true }));

/** The document client, over the same connections. */
export const dynamo = once(() => {
  const { requestHandler } = plainDynamo().config;
  return DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS, requestHandler }), {
    marshallOptions: { removeUndefinedValues: true },
  });
});
