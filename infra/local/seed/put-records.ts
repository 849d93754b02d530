import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';

type PlainRecord = { pk: string; sk: string; [attribute: string]: unknown };

/** Writes items for which `shared` has no repository. */
export async function putRecords(
  table: 'directoryTable' | 'trainingTable' | 'webhooksTable' | 'notificationsTable',
  records: readonly PlainRecord[],
): Promise<void> {
  await Promise.all(
    records.map((Item) => dynamoDocumentClient().send(new PutCommand({ TableName: requireSetting(table), Item }))),
  );
}
