import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { once } from '../once.ts';

/**
 * Limits for the longest case: a submit after a cold start, which sends three requests in a row. If the table does not
 * respond, the submit fails with 503 before Lambda's timeout.
 */
const MAX_ATTEMPTS = 3;
const TIMEOUTS = { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true };

/**
 * The plain client, for hot paths. It caches the middleware stack of a command. The cache saves a third of the CPU time
 * of a DynamoDB request, but does not work with the document client.
 */
export const dynamoClient = once(
  () => new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS, requestHandler: TIMEOUTS, cacheMiddleware: true }),
);

/**
 * Returns a request handler for HTTP/1.1, for clients that use HTTP/2 by default. Takes the handler from a DynamoDB
 * client, because this project does not depend on the handler's package.
 */
export const createHttp1RequestHandler = (settings: { connectionTimeout: number }) =>
  new DynamoDBClient({ requestHandler: settings }).config.requestHandler;

/** Shares the connections of `dynamoClient`. */
export const dynamoDocumentClient = once(() => {
  const { requestHandler } = dynamoClient().config;
  return DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: MAX_ATTEMPTS, requestHandler }), {
    marshallOptions: { removeUndefinedValues: true },
  });
});
