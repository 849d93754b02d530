import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { once } from '../once.ts';

/**
 * A submit after a cold start sends three requests to DynamoDB in a row. With these limits, an unresponsive table
 * causes a 503 before Lambda's timeout.
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
 * Creates a request handler for HTTP/1.1, for clients that default to HTTP/2. Takes it from a DynamoDB client, because
 * the package of the handler is not a dependency of this project.
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
