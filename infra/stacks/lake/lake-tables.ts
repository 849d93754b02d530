import type { Stack } from 'aws-cdk-lib';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import type { ColumnType } from '../../../shared/analytics/facts/fact-columns.ts';
import { FACTS_PREFIX } from '../../../shared/analytics/facts/fact-files.ts';
import { EVENTS_PREFIX } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import type { GrantResources } from '../../functions/grant-policies.ts';
import { LAKE_TABLES, type LakeTable } from '../../lake-views/lake-tables.ts';

export type LakeResources = Pick<GrantResources, 'bucket:lake' | 'bucket:facts' | 'stream:events'>;

export type LakeDatabase = { name: string; resource: CfnDatabase; rawEvents: { name: string; resource: CfnTable } };

const GLUE_TYPES: Record<ColumnType, string> = { BIGINT: 'bigint', VARCHAR: 'string', BOOLEAN: 'boolean' };
const PARQUET = 'org.apache.hadoop.hive.ql.io.parquet';
/** The service stored no events before this date. */
const FIRST_DAY = '2026-01-01';

/**
 * Creates the Glue tables over the files. The partitions by day need no crawler, because Athena computes them from the
 * range of dates.
 */
export function lakeTables(stack: Stack, name: string, resources: LakeResources): LakeDatabase {
  const resource = new CfnDatabase(stack, 'Database', {
    catalogId: stack.account,
    databaseInput: { name, description: 'Sessions and events of all funnels' },
  });
  const tables = LAKE_TABLES.map((table) => {
    const glueTable = new CfnTable(stack, table.name === 'facts' ? 'FactsTable' : 'RawEventsTable', {
      catalogId: stack.account,
      databaseName: name,
      tableInput: inputOf(table, resources),
    });
    glueTable.addResourceDependency(resource);
    return [table.name, glueTable] as const;
  });
  const rawEvents = new Map(tables).get('raw_events');
  if (rawEvents === undefined) throw new Error('LAKE_TABLES must contain the table raw_events.');
  return { name, resource, rawEvents: { name: 'raw_events', resource: rawEvents } };
}

function inputOf({ name, columns }: LakeTable, resources: LakeResources): CfnTable.TableInputProperty {
  const folder =
    name === 'facts'
      ? `s3://${resources['bucket:facts'].name}/${FACTS_PREFIX}`
      : `s3://${resources['bucket:lake'].name}/${EVENTS_PREFIX}`;
  return {
    name,
    tableType: 'EXTERNAL_TABLE',
    parameters: { classification: 'parquet', EXTERNAL: 'TRUE', ...(name === 'raw_events' && projection(folder)) },
    // Facts have no partitions. Their folders are named after funnel ids, which are not known in advance.
    ...(name === 'raw_events' && {
      partitionKeys: [{ name: 'arrival_date', type: 'string', comment: 'UTC day on which the events arrived' }],
    }),
    storageDescriptor: {
      location: folder,
      columns: columns.map((column) => ({ name: column.name, type: GLUE_TYPES[column.type], comment: column.about })),
      inputFormat: `${PARQUET}.MapredParquetInputFormat`,
      outputFormat: `${PARQUET}.MapredParquetOutputFormat`,
      serdeInfo: { serializationLibrary: `${PARQUET}.serde.ParquetHiveSerDe` },
    },
  };
}

const projection = (folder: string): Record<string, string> => ({
  'projection.enabled': 'true',
  'projection.arrival_date.type': 'date',
  'projection.arrival_date.format': 'yyyy-MM-dd',
  'projection.arrival_date.range': `${FIRST_DAY},NOW`,
  'storage.location.template': `${folder}arrival_date=\${arrival_date}/`,
});
