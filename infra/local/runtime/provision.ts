import { IncreaseStreamRetentionPeriodCommand } from '@aws-sdk/client-kinesis';
import { dynamoClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { kinesisClient } from '../../../shared/platform/aws/kinesis-client.ts';
import { TABLES } from '../../stacks/data/tables.ts';
import { STREAM, tableName } from './environment.ts';
import { ensureStream, ensureTable, tableDefinition } from './resource-creation.ts';

const SHARDS = 2;
const RETENTION_HOURS = 168;

/**
 * Creates the tables (as the stacks declare them) and the stream if they don't exist. The S3 stand-in creates the
 * buckets.
 */
export async function provision(): Promise<void> {
  const tables = TABLES.map((table) => ensureTable(dynamoClient(), tableDefinition(table, tableName(table.name))));
  await Promise.all([...tables, ensureEventStream()]);
}

async function ensureEventStream(): Promise<void> {
  const isNew = await ensureStream(kinesisClient(), { StreamName: STREAM, ShardCount: SHARDS });
  if (!isNew) return;
  const retention = { StreamName: STREAM, RetentionPeriodHours: RETENTION_HOURS };
  await kinesisClient().send(new IncreaseStreamRetentionPeriodCommand(retention));
}
