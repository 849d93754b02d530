import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Time for pages of a megabyte over an office's line. */
const PATIENT = { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true };
const ATTEMPTS_MAX = 5;

/** Of a client of the tables for a person who waits. */
export const PATIENT_CLIENT = { maxAttempts: ATTEMPTS_MAX, requestHandler: PATIENT };

/** Such a client, once connected. */
export const recordsClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(PATIENT_CLIENT), {
    marshallOptions: { removeUndefinedValues: true },
  });
