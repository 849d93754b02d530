import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Grant } from '../../functions/grants.ts';
import { environmentVariableName, type SettingName } from '../../shared/platform/settings.ts';
import type { GrantTarget } from './grant-targets.ts';
import { grantPermissions } from './grants.ts';

/** Functions that other functions invoke. The streaming stack creates them. */
export type InvokedFunction = Extract<GrantTarget, `function:${string}`>;

const CONFIG: Record<GrantTarget, SettingName> = {
  'table:directory': 'directoryTable',
  'table:leads': 'leadsTable',
  'table:training': 'trainingTable',
  'table:analytics': 'analyticsTable',
  'table:uploads': 'uploadsTable',
  'table:limits': 'limitsTable',
  'table:webhooks': 'webhooksTable',
  'table:deliveries': 'deliveriesTable',
  'table:notifications': 'notificationsTable',
  'index:analytics/waiting': 'analyticsTable',
  'stream:events': 'eventStream',
  'bucket:facts': 'factsBucket',
  'bucket:lake': 'lakeBucket',
  'bucket:dead-letters': 'deadLettersBucket',
  'bucket:files': 'uploadsBucket',
  'bucket:sent-files': 'uploadsBucket',
  'bucket:assets': 'uploadsBucket',
  'bucket:transcripts': 'trainingBucket',
  'bucket:recordings': 'trainingBucket',
  'names:facts': 'factsBucket',
  'names:lake': 'lakeBucket',
  'names:uploads': 'uploadsBucket',
  'names:calls': 'trainingBucket',
  'names:transcripts': 'trainingBucket',
  'index:directory/due': 'directoryTable',
  'index:uploads/due': 'uploadsTable',
  'index:training/due': 'trainingTable',
  'index:training/outbox': 'trainingTable',
  'index:leads/byFunnel': 'leadsTable',
  'index:leads/due': 'leadsTable',
  'index:deliveries/due': 'deliveriesTable',
  'index:deliveries/lanesByEndpoint': 'deliveriesTable',
  'index:notifications/due': 'notificationsTable',
  'items:notification-addresses': 'notificationsTable',
  'index:deliveries/byMessage': 'deliveriesTable',
  'function:analyse-call': 'analyseCallFunction',
  'function:dispatch-messages': 'dispatchMessagesFunction',
  'function:remove-domain': 'removeDomainFunction',
  'secret:leads': 'leadSecretId',
  'secret:hashes': 'hashSecretId',
  'secret:cdn': 'cdnSecretId',
  'secret:ai': 'aiSecretId',
  'secret:webhooks': 'webhookSecretId',
  'secret:notifications': 'notificationSecretId',
  'secret:voice': 'voiceSecretId',
  'secret:voice-webhook': 'voiceWebhookSecretId',
  'edge:distribution': 'edgeDistributionId',
  'edge:tenants': 'edgeDistributionId',
  'edge:own-tenants': 'edgeDistributionId',
  'certificates:new': 'edgeDistributionId',
  'certificates:edge': 'edgeDistributionId',
  'models:text': 'aiModels',
  'sender:mail': 'mailFrom',
  'sender:sms': 'smsSender',
};

/** A resource with its ARN for policies, and its name for the environment of a function. */
type Resource = { arn: string; name: string; conditions?: Record<string, Record<string, string | string[]>> };

/**
 * A group of resources: models, senders or edge resources. `arn` is empty if no resource of the group is configured, or
 * if the models are not on Bedrock.
 */
type Several = { arn: readonly string[]; name: string; conditions?: Resource['conditions'] };

/** The resources of all grant targets in this deployment. */
export type GrantResources = Record<Exclude<GrantTarget, Configured>, Resource> & Record<Configured, Several>;
type Configured = Extract<
  GrantTarget,
  'models:text' | `sender:${string}` | `edge:${string}` | `certificates:${string}`
>;

/** Returns the statements of the grants, at most one per target. The order of the grants does not matter. */
export function grantStatements(grants: readonly Grant[], resources: GrantResources): PolicyStatement[] {
  return [...grantPermissions(grants)].flatMap(([target, actions]) => {
    const { arn, conditions }: Resource | Several = resources[target];
    const statement = { actions: [...actions].sort(), resources: [arn].flat(), ...(conditions && { conditions }) };
    return statement.resources.length === 0 ? [] : [new PolicyStatement(statement)];
  });
}

/** Returns the environment variables that contain the names of the granted resources. */
export function grantEnvironment(grants: readonly Grant[], resources: GrantResources): Record<string, string> {
  return Object.fromEntries(
    [...grantPermissions(grants).keys()]
      .filter((target) => resources[target].name !== '')
      .map((target) => [environmentVariableName(CONFIG[target]), resources[target].name]),
  );
}
