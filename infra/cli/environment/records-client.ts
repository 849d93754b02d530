import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Time for pages of a megabyte over a slow connection. */
const PATIENT = { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true };
const ATTEMPTS_MAX = 5;

/** Settings of a DynamoDB client for interactive commands. */
export const PATIENT_CLIENT = { maxAttempts: ATTEMPTS_MAX, requestHandler: PATIENT };

/** Such a client, for the connected environment. */
export const recordsClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(PATIENT_CLIENT), {
    marshallOptions: { removeUndefinedValues: true },
  });
