import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { once } from '../once.ts';

/** Three calls in a row, as a cold submit makes, stay below what it has: a table that hangs is answered with 503, not cut off. */
const MAX_ATTEMPTS = 3;
const TIMEOUTS = { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true };

/**
 * The plain client, for hot paths: it keeps the handlers it composes for a command, a third of a call's time, which
 * the document client does not allow. Made on first use and kept for the life of the warm function.
 */
export const dynamoClient = once(
  () => new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS, requestHandler: TIMEOUTS, cacheMiddleware: true }),
);

/**
 * A request handler of HTTP/1.1 with settings of its own, taken from a DynamoDB client: for clients whose default is
 * HTTP/2. What is loaded later gets it as an argument: importing the SDK's client there would make bundles carry all of
 * it.
 */
export const createHttp1RequestHandler = (settings: { connectionTimeout: number }) =>
  new DynamoDBClient({ requestHandler: settings }).config.requestHandler;

/** The document client, over the same connections. */
export const dynamoDocumentClient = once(() => {
  const { requestHandler } = dynamoClient().config;
  return DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS, requestHandler }), {
    marshallOptions: { removeUndefinedValues: true },
  });
});
