import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { recordsClient } from '../environment/records-client.ts';
import { requireOrganization } from '../organizations/dependencies.ts';

/** A client for the records of an organization. @throws UserError for an unknown organization */
export async function recordsFor(orgId: string): Promise<DynamoDBDocumentClient> {
  await requireOrganization(orgId);
  return recordsClient();
}
