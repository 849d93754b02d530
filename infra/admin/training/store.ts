import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoOrganizations } from '../../../shared/directory/dynamo-organizations.ts';
import { FriendlyError } from '../../local/friendly-error.ts';

/** Time for pages of a megabyte over an office's line. */
const PATIENT = { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true };
const ATTEMPTS_MAX = 5;

/** The table of training for a person who waits, once connected. @throws FriendlyError when there is no such organization */
export async function recordsFor(orgId: string): Promise<DynamoDBDocumentClient> {
  const organization = await dynamoOrganizations().find(orgId);
  if (organization === undefined) throw new FriendlyError(`There is no organization ${orgId}.`);
  return DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: ATTEMPTS_MAX, requestHandler: PATIENT }), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
