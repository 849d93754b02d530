import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '../../../shared/platform/clients.ts';
import { config } from '../../../shared/platform/config.ts';

type PlainRecord = { pk: string; sk: string; [attribute: string]: unknown };

/** Writes records by their keys, for what has no writer in `shared`. */
export async function putRecords(
  table: 'directoryTable' | 'trainingTable',
  records: readonly PlainRecord[],
): Promise<void> {
  await Promise.all(records.map((Item) => dynamo().send(new PutCommand({ TableName: config(table), Item }))));
}
