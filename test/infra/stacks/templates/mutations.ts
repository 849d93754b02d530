import type { CHECKS } from './checks/all.ts';
import type { Found, Resource } from './template.ts';

type Mutation = {
  title: string;
  check: keyof typeof CHECKS;
  type: string;
  /** Selects the resource by its logical id. Without a pattern, the first resource of the type is changed. */
  id?: RegExp;
  change: (resource: Resource, found: Found) => void;
  reports: RegExp;
};

const TABLES = 'tables are encrypted and delete expired items; in prod, they are recoverable, protected and retained';
const BUCKETS = 'buckets are encrypted, require TLS 1.2 and abort incomplete uploads; in prod, they are retained';
const SECRETS = 'no secret has a value in a template; in prod, secrets, users and the stream are retained';
const PRINCIPALS = 'no policy of a resource allows an unknown principal or all actions';
const CONTENTS = 'no template contains a secret, an account id or a path of this machine';
const SIZES = 'policies and environments are within the limits of AWS';
const FAILED = 'resources of a failed deployment are deleted unless they are protected';

/** Defects, each with the check that must report it. */
export const MUTATIONS: readonly Mutation[] = [
  {
    title: 'a table without point-in-time recovery',
    check: TABLES,
    type: 'AWS::DynamoDB::GlobalTable',
    id: /^Leads/,
    change: ({ Properties }) => delete Properties.Replicas[0].PointInTimeRecoverySpecification,
    reports: /Leads.*must have point-in-time recovery/,
  },
  {
    title: 'a table without protection against deletion',
    check: TABLES,
    type: 'AWS::DynamoDB::GlobalTable',
    id: /^Training/,
    change: ({ Properties }) => Object.assign(Properties.Replicas[0], { DeletionProtectionEnabled: false }),
    reports: /Training.*must be protected against deletion/,
  },
  {
    title: 'a bucket that accepts old versions of TLS',
    check: BUCKETS,
    type: 'AWS::S3::BucketPolicy',
    id: /^Uploads/,
    change: ({ Properties }) => Properties.PolicyDocument.Statement.pop(),
    reports: /Uploads.*must reject requests with TLS before 1\.2/,
  },
  {
    title: 'a bucket that is removed with its stack',
    check: BUCKETS,
    type: 'AWS::S3::Bucket',
    id: /^Calls/,
    change: (bucket) => Object.assign(bucket, { DeletionPolicy: 'Delete' }),
    reports: /Calls.*must be retained/,
  },
  {
    title: 'a stream that a failed deployment leaves behind',
    check: FAILED,
    type: 'AWS::Kinesis::Stream',
    change: (stream) => Object.assign(stream, { DeletionPolicy: 'Retain' }),
    reports: /Events.*must be deleted with a failed deployment/,
  },
  {
    title: 'a table that a failed deployment cannot delete',
    check: FAILED,
    type: 'AWS::DynamoDB::GlobalTable',
    change: (table) => Object.assign(table, { DeletionPolicy: 'RetainExceptOnCreate' }),
    reports: /unless it is protected/,
  },
  {
    title: 'tokens that are sent to a page in its URL',
    check: SECRETS,
    type: 'AWS::Cognito::UserPoolClient',
    change: ({ Properties }) =>
      Object.assign(Properties, { AllowedOAuthFlowsUserPoolClient: true, CallbackURLs: ['https://example.com'] }),
    reports: /UsersWeb.*must not send tokens to a page/,
  },
  {
    title: 'a secret that is removed with its stack',
    check: SECRETS,
    type: 'AWS::SecretsManager::Secret',
    change: (secret) => Object.assign(secret, { DeletionPolicy: 'Delete' }),
    reports: /must be retained/,
  },
  {
    title: 'a log group without a retention period',
    check: 'every log group has a retention period, and is retained in prod',
    type: 'AWS::Logs::LogGroup',
    id: /^FunnelSubmit/,
    change: ({ Properties }) => delete Properties.RetentionInDays,
    reports: /FunnelSubmitLogs.*must have the retention period/,
  },
  {
    title: 'a topic that accepts messages without TLS',
    check: 'queues and topics are encrypted and require TLS',
    type: 'AWS::SNS::TopicPolicy',
    change: ({ Properties }) => Object.assign(Properties.PolicyDocument, { Statement: [] }),
    reports: /Alarms.*must reject requests without TLS/,
  },
  {
    title: 'a role that any principal can assume',
    check: PRINCIPALS,
    type: 'AWS::IAM::Role',
    change: ({ Properties }) =>
      Object.assign(Properties.AssumeRolePolicyDocument.Statement[0], { Principal: { AWS: '*' } }),
    reports: /by others than one service/,
  },
  {
    title: 'a bucket that allows every principal',
    check: PRINCIPALS,
    type: 'AWS::S3::BucketPolicy',
    change: ({ Properties }) =>
      Properties.PolicyDocument.Statement.push({
        Effect: 'Allow',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: '*',
      }),
    reports: /allows every principal/,
  },
  {
    title: 'a queue that allows all actions',
    check: PRINCIPALS,
    type: 'AWS::SQS::QueuePolicy',
    change: ({ Properties }) =>
      Properties.PolicyDocument.Statement.push({
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:*',
        Resource: '*',
      }),
    reports: /allows sqs:\*$/,
  },
  {
    title: 'the value of a secret',
    check: CONTENTS,
    type: 'AWS::SecretsManager::Secret',
    change: ({ Properties }) => Object.assign(Properties, { SecretString: 'a value' }),
    reports: /contains the value of a secret/,
  },
  {
    title: 'an account id',
    check: CONTENTS,
    type: 'AWS::IAM::Role',
    change: ({ Properties }) => Object.assign(Properties, { Description: 'of 444455556666' }),
    reports: /contains the account id 444455556666/,
  },
  {
    title: 'a policy of a queue with 21 statements',
    check: SIZES,
    type: 'AWS::SQS::QueuePolicy',
    change: ({ Properties: { PolicyDocument } }) =>
      Object.assign(PolicyDocument, { Statement: Array(21).fill(PolicyDocument.Statement[0]) }),
    reports: /more than 20 statements/,
  },
  {
    title: 'a reserved variable of Lambda',
    check: SIZES,
    type: 'AWS::Lambda::Function',
    change: ({ Properties }) => Object.assign(Properties.Environment.Variables, { AWS_REGION: 'eu-central-1' }),
    reports: /sets AWS_REGION/,
  },
  {
    title: 'a function with too many variables',
    check: SIZES,
    type: 'AWS::Lambda::Function',
    change: ({ Properties }) => Object.assign(Properties.Environment.Variables, { MORE: 'x'.repeat(4096) }),
    reports: /environment variables over 4096/,
  },
  {
    title: 'a description that WAF rejects',
    check: 'texts are within the limits that the validation of CDK does not check',
    type: 'AWS::WAFv2::WebACL',
    change: ({ Properties }) => Object.assign(Properties, { Description: 'limits (per address)' }),
    reports: /Description with characters/,
  },
  {
    title: 'two resources with the same name',
    check: 'names of outputs and resources are unique',
    type: 'AWS::Lambda::Function',
    id: /^FunnelUpload/,
    change: ({ Properties }) => Object.assign(Properties, { FunctionName: 'tributary-prod-funnel-submit' }),
    reports: /tributary-prod-funnel-submit is not unique/,
  },
  {
    title: 'an alarm that depends on the alias whose deployment depends on the alarm',
    check: 'there are no circular dependencies',
    type: 'AWS::CloudWatch::Alarm',
    id: /^FunnelSubmitFailing/,
    change: (alarm, { stack }) => {
      const alias = Object.keys(stack.template.Resources).find((id) => id.startsWith('FunnelSubmitAlias'));
      Object.assign(alarm, { DependsOn: alias });
    },
    reports: /dependency cycle: .*FunnelSubmitAlias/,
  },
];
