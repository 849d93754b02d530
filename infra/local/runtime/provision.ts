import { setTimeout as delay } from 'node:timers/promises';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateStreamCommand,
  DescribeStreamSummaryCommand,
  IncreaseStreamRetentionPeriodCommand,
  type KinesisClient,
} from '@aws-sdk/client-kinesis';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { kinesisClient } from '../../../shared/platform/aws/kinesis-client.ts';
import { TABLES, type TableShape } from '../../stacks/data/tables.ts';
import { STREAM, tableName } from './environment.ts';
import { createTableCommand } from './table-creation.ts';

const SHARDS = 2;
const RETENTION_HOURS = 168;

/**
 * Creates the tables (as the stacks declare them) and the stream if they don't exist. The S3 stand-in creates the
 * buckets.
 */
export async function provision(): Promise<void> {
  await Promise.all([
    ...TABLES.map((table) => ensureTable(dynamoDocumentClient(), table)),
    ensureStream(kinesisClient()),
  ]);
}

async function ensureTable(client: DynamoDBDocumentClient, table: TableShape): Promise<void> {
  const TableName = tableName(table.name);
  await unlessExists(() => client.send(createTableCommand(table, TableName)));
  await until(async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    return Table?.TableStatus === 'ACTIVE';
  });
}

async function ensureStream(client: KinesisClient): Promise<void> {
  const StreamName = STREAM;
  const created = await unlessExists(() => client.send(new CreateStreamCommand({ StreamName, ShardCount: SHARDS })));
  await until(async () => {
    const summary = await client.send(new DescribeStreamSummaryCommand({ StreamName }));
    return summary.StreamDescriptionSummary?.StreamStatus === 'ACTIVE';
  });
  if (!created) return;
  const retention = { StreamName, RetentionPeriodHours: RETENTION_HOURS };
  await client.send(new IncreaseStreamRetentionPeriodCommand(retention));
}

/** Returns false if the resource exists already. */
async function unlessExists(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceInUseException') return false;
    throw error;
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(5);
}
