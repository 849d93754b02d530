import { Duration, Stack } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps, HttpMethods } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { FACTS_PREFIX } from '../../../shared/analytics/facts/fact-files.ts';
import { DEAD_LETTER_PREFIX } from '../../../shared/analytics/ingest/dead-letters.ts';
import { EVENTS_PREFIX } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import { ASSETS_PREFIX } from '../../../shared/landing-pages/landing-page.ts';
import { ORGANIZATION_PREFIX } from '../../../shared/notifications/aws/notifications-table.ts';
import { RECORDINGS_PREFIX, TRANSCRIPTS_PREFIX } from '../../../shared/training/object-keys.ts';
import { INCOMING_PREFIX } from '../../../shared/uploads/upload.ts';
import type { GrantResources, InvokedFunction } from '../../functions/grant-policies.ts';
import { explain } from '../../nag/acknowledge-findings.ts';
import { modelArns } from '../../settings/ai-settings.ts';
import { edgeResources } from '../../settings/edge-settings.ts';
import { senders } from '../../settings/message-settings.ts';
import type { Oidc, Stage } from '../../settings/stages.ts';
import { addAlarmTopic } from '../observability/alarm-topic.ts';
import { removalPolicy, removalPolicyOfProtected } from './removal-policy.ts';
import { secrets } from './secrets.ts';
import { EXPIRY_ATTRIBUTE, TABLE_KEYS, TABLES, type TableIndex, type TableName, type TableShape } from './tables.ts';
import { userPool } from './user-pool.ts';

/** Old versions are kept as long as backups (35 days), so that a restored manifest finds the files that it lists. */
const OLD_FILES_KEPT = Duration.days(35);
const FACTS: BucketProps = {
  versioned: true,
  lifecycleRules: [{ noncurrentVersionExpiration: OLD_FILES_KEPT, expiredObjectDeleteMarker: true }],
};

/**
 * The bucket has no versioning, because old versions would keep removed image metadata and erased files. Pages of any
 * origin upload large files directly to the bucket, with a form that is signed for one file.
 */
const UPLOADS: BucketProps = {
  cors: [{ allowedMethods: [HttpMethods.POST], allowedOrigins: ['*'], allowedHeaders: ['*'], maxAge: 3_600 }],
  // If a client uploads a file again after its inspection, the new file has no record. Only this rule deletes it.
  lifecycleRules: [{ prefix: INCOMING_PREFIX, expiration: Duration.days(8) }],
};

/**
 * Matches only the keys of files, because only these keys begin with the UUID of an organization. All other keys have
 * no hyphen as the ninth character.
 */
const FILES_PATTERN = '????????-????-????-????-????????????/*';

export type Data = { stack: Stack; resources: Omit<GrantResources, 'stream:events' | InvokedFunction>; oidc: Oidc };

/** Creates the resources that outlive the other stacks: tables, buckets, secrets, the user pool and the alarm topic. */
export function dataStack(scope: Construct, stage: Stage): Data {
  const stack = new Stack(scope, `tributary-${stage.name}-data`, { terminationProtection: stage.keepsData });
  addAlarmTopic(stack, stage);
  const facts = bucket(stack, 'Facts', stage, FACTS);
  const lake = bucket(stack, 'Lake', stage);
  const deadLetters = bucket(stack, 'SetAside', stage);
  const uploads = bucket(stack, 'Uploads', stage, UPLOADS);
  // Contains recordings and long transcripts. It has no versioning, so that deleting a call removes its content.
  const training = bucket(stack, 'Calls', stage);
  const table = Object.fromEntries(TABLES.map((shape) => [shape.name, tableOf(stack, stage, shape)])) as Tables;
  return {
    stack,
    oidc: stage.oidc ?? userPool(stack, stage),
    resources: {
      'table:directory': inPolicy(table.directory),
      'table:leads': inPolicy(table.leads),
      'table:training': inPolicy(table.training),
      'table:analytics': inPolicy(table.analytics),
      'table:uploads': inPolicy(table.uploads),
      'table:limits': inPolicy(table.limits),
      'table:webhooks': inPolicy(table.webhooks),
      'table:deliveries': inPolicy(table.deliveries),
      'table:notifications': inPolicy(table.notifications),
      'items:notification-addresses': {
        ...inPolicy(table.notifications),
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${ORGANIZATION_PREFIX}*`] } },
      },
      'index:analytics/waiting': { ...inPolicy(table.analytics), arn: `${table.analytics.tableArn}/index/waiting` },
      'bucket:facts': { arn: facts.arnForObjects(`${FACTS_PREFIX}*`), name: facts.bucketName },
      'index:directory/due': { ...inPolicy(table.directory), arn: `${table.directory.tableArn}/index/due` },
      'index:uploads/due': { ...inPolicy(table.uploads), arn: `${table.uploads.tableArn}/index/due` },
      'bucket:files': { arn: uploads.arnForObjects(FILES_PATTERN), name: uploads.bucketName },
      'bucket:sent-files': { arn: uploads.arnForObjects(`${INCOMING_PREFIX}*`), name: uploads.bucketName },
      'bucket:assets': { arn: uploads.arnForObjects(`${ASSETS_PREFIX}*`), name: uploads.bucketName },
      'index:leads/byFunnel': { ...inPolicy(table.leads), arn: `${table.leads.tableArn}/index/byFunnel` },
      'index:leads/due': { ...inPolicy(table.leads), arn: `${table.leads.tableArn}/index/due` },
      'index:deliveries/due': { ...inPolicy(table.deliveries), arn: `${table.deliveries.tableArn}/index/due` },
      'index:deliveries/lanesByEndpoint': {
        ...inPolicy(table.deliveries),
        arn: `${table.deliveries.tableArn}/index/lanesByEndpoint`,
      },
      'index:notifications/due': { ...inPolicy(table.notifications), arn: `${table.notifications.tableArn}/index/due` },
      'index:deliveries/byMessage': {
        ...inPolicy(table.deliveries),
        arn: `${table.deliveries.tableArn}/index/byMessage`,
      },
      'index:training/due': { ...inPolicy(table.training), arn: `${table.training.tableArn}/index/due` },
      'index:training/outbox': { ...inPolicy(table.training), arn: `${table.training.tableArn}/index/outbox` },
      'bucket:transcripts': { arn: training.arnForObjects(`${TRANSCRIPTS_PREFIX}*`), name: training.bucketName },
      'bucket:recordings': { arn: training.arnForObjects(`${RECORDINGS_PREFIX}*`), name: training.bucketName },
      'names:lake': { arn: lake.bucketArn, name: lake.bucketName },
      'names:facts': namesBelow(facts, FACTS_PREFIX),
      'names:calls': namesBelow(training, TRANSCRIPTS_PREFIX, RECORDINGS_PREFIX),
      'names:transcripts': namesBelow(training, TRANSCRIPTS_PREFIX),
      'names:uploads': { arn: uploads.bucketArn, name: uploads.bucketName },
      'bucket:lake': { arn: lake.arnForObjects(`${EVENTS_PREFIX}*`), name: lake.bucketName },
      'bucket:dead-letters': { arn: deadLetters.arnForObjects(`${DEAD_LETTER_PREFIX}*`), name: deadLetters.bucketName },
      'models:text': { arn: modelArns(stack, stage.ai), name: stage.ai.models.join(',') },
      ...senders(stack, stage.messages),
      ...edgeResources(stack, stage.edge),
      ...secrets(stack, stage),
    },
  };
}

/** Returns the policy resource for listing the objects of a bucket below these prefixes. */
const namesBelow = ({ bucketArn, bucketName }: Bucket, ...prefixes: string[]) => ({
  arn: bucketArn,
  name: bucketName,
  conditions: { StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } },
});

type Tables = Record<TableName, TableV2>;

const inPolicy = (table: TableV2) => ({ arn: table.tableArn, name: table.tableName });

function tableOf(stack: Stack, stage: Stage, { constructId, indexes }: TableShape): TableV2 {
  return new TableV2(stack, constructId, {
    partitionKey: { name: TABLE_KEYS.hash, type: AttributeType.STRING },
    sortKey: { name: TABLE_KEYS.range, type: AttributeType.STRING },
    timeToLiveAttribute: EXPIRY_ATTRIBUTE,
    globalSecondaryIndexes: indexes.map(({ name: indexName, hash, range, projection }) => ({
      indexName,
      partitionKey: attribute(hash),
      sortKey: attribute(range),
      projectionType: projection === 'keys' ? ProjectionType.KEYS_ONLY : ProjectionType.ALL,
    })),
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: stage.keepsData },
    deletionProtection: stage.keepsData,
    removalPolicy: removalPolicyOfProtected(stage),
  });
}

const attribute = ({ name, type }: TableIndex['hash']) => ({
  name,
  type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER,
});

/** Creates a private bucket that removes incomplete multipart uploads. */
export function bucket(stack: Stack, id: string, stage: Stage, props: BucketProps = {}): Bucket {
  const created = new Bucket(stack, id, {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    removalPolicy: removalPolicy(stage),
    ...props,
    lifecycleRules: [...(props.lifecycleRules ?? []), { abortIncompleteMultipartUploadAfter: Duration.days(1) }],
  });
  return explain(created, {
    S1:
      'Access logs would keep the IP addresses of visitors who upload or download files with signed links. The service ' +
      'promises not to store these addresses. All other callers use a role, and CloudTrail can record them.',
  });
}
