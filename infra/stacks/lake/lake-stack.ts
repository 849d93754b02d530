import { Duration, Stack } from 'aws-cdk-lib';
import { CfnNamedQuery, CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import type { Construct } from 'constructs';
import { ATHENA } from '../../lake-views/sql-dialect.ts';
import { LAKE_VIEWS } from '../../lake-views/views.ts';
import { lakeDatabaseName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { bucket } from '../data/data-stack.ts';
import { deliverEvents } from './lake-delivery.ts';
import { type LakeResources, lakeTables } from './lake-tables.ts';
import { SCANNED_BYTES_MAX } from './query-limit.ts';

/** Query results are deleted after this time. They may contain personal data, and an erasure does not delete them. */
const RESULTS_KEPT = Duration.days(7);
const ENGINE = 'Athena engine version 3';
/** Views in Athena have no parameters, so their days are in UTC. */
const TIME_ZONE = 'UTC';

/**
 * Creates the analysts' workspace: the Firehose stream that writes raw events to files, Glue tables over the files of
 * raw events and facts, and Athena with the views as saved queries.
 */
export function lakeStack(scope: Construct, stage: Stage, resources: LakeResources): Stack {
  const stack = new Stack(scope, `tributary-${stage.name}-lake`, { terminationProtection: stage.keepsData });
  const database = lakeTables(stack, lakeDatabaseName(stage), resources);
  deliverEvents(stack, stage, resources, database);
  const workgroup = workgroupOf(stack, stage);
  for (const [at, { name, about, select }] of LAKE_VIEWS.entries()) {
    const saved = new CfnNamedQuery(stack, `View${at + 1}`, {
      name: `View ${at + 1} of ${LAKE_VIEWS.length}: ${name}`,
      description: about,
      database: database.name,
      workGroup: workgroup.name,
      queryString: `CREATE OR REPLACE VIEW ${name} AS\n${select(ATHENA, TIME_ZONE)}`,
    });
    saved.addResourceDependency(workgroup);
    saved.addResourceDependency(database.resource);
  }
  return stack;
}

function workgroupOf(stack: Stack, stage: Stage): CfnWorkGroup {
  const results = bucket(stack, 'QueryResults', stage, {
    lifecycleRules: [{ expiration: RESULTS_KEPT }],
  });
  return new CfnWorkGroup(stack, 'Analysts', {
    name: `tributary-${stage.name}`,
    description: 'SQL over sessions and events',
    recursiveDeleteOption: !stage.keepsData,
    workGroupConfiguration: {
      // Without this setting, a client could write unencrypted results to another bucket.
      enforceWorkGroupConfiguration: true,
      publishCloudWatchMetricsEnabled: true,
      bytesScannedCutoffPerQuery: SCANNED_BYTES_MAX,
      engineVersion: { selectedEngineVersion: ENGINE },
      resultConfiguration: {
        outputLocation: `s3://${results.bucketName}/`,
        encryptionConfiguration: { encryptionOption: 'SSE_S3' },
        expectedBucketOwner: stack.account,
      },
    },
  });
}
