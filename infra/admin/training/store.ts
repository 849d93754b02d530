import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { organizationOf } from '../organizations/store.ts';
import { recordsClient } from '../records-client.ts';

/** The table of training for a person who waits, once connected. @throws FriendlyError when there is no such organization */
export async function recordsFor(orgId: string): Promise<DynamoDBDocumentClient> {
  await organizationOf(orgId);
  return recordsClient();
}
