import type { CHECKS } from './checks/all.ts';
import type { Found, Resource } from './template.ts';

export type Mutation = {
  title: string;
  check: keyof typeof CHECKS;
  type: string;
  /** Selects the resource by its logical id or its properties; without it, the first. */
  of?: RegExp;
  change: (resource: Resource, found: Found) => void;
  reports: RegExp;
};

const firstOf = (list: unknown): Record<string, unknown> => (list as Record<string, unknown>[])[0] ?? {};
const statementsIn = ({ Properties }: Resource): Record<string, unknown>[] =>
  Properties.Policies[0].PolicyDocument.Statement;

/** Defects of stored data, functions and permissions. */
export const MUTATIONS: readonly Mutation[] = [
  {
    title: 'a table without point-in-time recovery',
    check: 'tables are recoverable, protected, encrypted, retained, and delete expired items',
    type: 'AWS::DynamoDB::GlobalTable',
    of: /^Leads/,
    change: ({ Properties }) => delete Properties.Replicas[0].PointInTimeRecoverySpecification,
    reports: /Leads.*point-in-time recovery/,
  },
  {
    title: 'a table without protection against deletion',
    check: 'tables are recoverable, protected, encrypted, retained, and delete expired items',
    type: 'AWS::DynamoDB::GlobalTable',
    of: /^Training/,
    change: ({ Properties }) => Object.assign(firstOf(Properties.Replicas), { DeletionProtectionEnabled: false }),
    reports: /Training.*protected against deletion/,
  },
  {
    title: 'a bucket that accepts requests without TLS',
    check: 'buckets are private, encrypted, require TLS 1.2, and abort incomplete uploads',
    type: 'AWS::S3::BucketPolicy',
    of: /^Uploads/,
    change: ({ Properties }) => Properties.PolicyDocument.Statement.shift(),
    reports: /Uploads.*by TLS alone/,
  },
  {
    title: 'a bucket that can be made public',
    check: 'buckets are private, encrypted, require TLS 1.2, and abort incomplete uploads',
    type: 'AWS::S3::Bucket',
    change: ({ Properties }) => Object.assign(Properties.PublicAccessBlockConfiguration, { BlockPublicPolicy: false }),
    reports: /blocks public access/,
  },
  {
    title: 'a bucket that is removed with its stack',
    check: 'buckets are private, encrypted, require TLS 1.2, and abort incomplete uploads',
    type: 'AWS::S3::Bucket',
    of: /^Calls/,
    change: (bucket) => Object.assign(bucket, { DeletionPolicy: 'Delete' }),
    reports: /Calls.*kept when it leaves its stack/,
  },
  {
    title: 'a stream that a failed deployment leaves behind',
    check: 'resources of a failed deployment are deleted unless they are protected',
    type: 'AWS::Kinesis::Stream',
    change: (stream) => Object.assign(stream, { DeletionPolicy: 'Retain' }),
    reports: /Events.*goes with a deployment that fails/,
  },
  {
    title: 'a table that a failed deployment cannot delete',
    check: 'resources of a failed deployment are deleted unless they are protected',
    type: 'AWS::DynamoDB::GlobalTable',
    change: (table) => Object.assign(table, { DeletionPolicy: 'RetainExceptOnCreate' }),
    reports: /if it is not protected/,
  },
  {
    title: 'tokens that are sent to a page in its URL',
    check: 'secrets, users and the stream are retained, and no secret has a value in a template',
    type: 'AWS::Cognito::UserPoolClient',
    change: ({ Properties }) =>
      Object.assign(Properties, { AllowedOAuthFlowsUserPoolClient: true, CallbackURLs: ['https://example.com'] }),
    reports: /UsersWeb.*sends tokens to no page/,
  },
  {
    title: 'a log group without a retention period',
    check: 'every log group has a retention period, and is retained in prod',
    type: 'AWS::Logs::LogGroup',
    of: /^FunnelSubmit/,
    change: ({ Properties }) => delete Properties.RetentionInDays,
    reports: /FunnelSubmitLogs.*forgets after a time/,
  },
  {
    title: 'a function without its own log group, whose default has no retention period',
    check: 'every function has a log and a role of its own',
    type: 'AWS::Lambda::Function',
    of: /^FunnelSubmit/,
    change: ({ Properties }) => delete Properties.LoggingConfig,
    reports: /FunnelSubmit.*log group of this stack/,
  },
  {
    title: 'a queue that accepts messages without TLS',
    check: 'queues and topics are encrypted and require TLS',
    type: 'AWS::SQS::QueuePolicy',
    change: ({ Properties }) => Object.assign(Properties.PolicyDocument, { Statement: [] }),
    reports: /takes messages by TLS alone/,
  },
  {
    title: 'a function with a longer timeout than the gateway',
    check: 'every function is declared, and runs as declared',
    type: 'AWS::Lambda::Function',
    of: /^FunnelSubmit/,
    change: ({ Properties }) => Object.assign(Properties, { Timeout: 60 }),
    reports: /FunnelSubmit.*ends before the gateway leaves it/,
  },
  {
    title: 'a background function without a failure destination',
    check: 'failures of functions without a caller are kept',
    type: 'AWS::Lambda::EventInvokeConfig',
    change: ({ Properties }) => delete Properties.DestinationConfig,
    reports: /somewhere to put failures/,
  },
  {
    title: 'a grant for every action of a service',
    check: 'permissions on all resources exist only for actions without resource-level permissions',
    type: 'AWS::IAM::Role',
    of: /^FunnelSubmit/,
    change: (role) => Object.assign(firstOf(statementsIn(role)), { Action: 'dynamodb:*' }),
    reports: /FunnelSubmitRole.* allows dynamodb:\*$/,
  },
  {
    title: 'a grant on all resources',
    check: 'permissions on all resources exist only for actions without resource-level permissions',
    type: 'AWS::IAM::Role',
    of: /^FunnelSubmit/,
    change: (role) => Object.assign(firstOf(statementsIn(role)), { Action: 'dynamodb:GetItem', Resource: '*' }),
    reports: /allows dynamodb:GetItem on everything/,
  },
  {
    title: 'a grant with NotAction',
    check: 'permissions on all resources exist only for actions without resource-level permissions',
    type: 'AWS::IAM::Role',
    change: (role) => Object.assign(firstOf(statementsIn(role)), { NotAction: 's3:PutObject' }),
    reports: /says NotAction/,
  },
  {
    title: 'a policy that AWS manages',
    check: 'roles contain all of their permissions',
    type: 'AWS::IAM::Role',
    change: ({ Properties }) =>
      Object.assign(Properties, { ManagedPolicyArns: ['arn:aws:iam::aws:policy/ReadOnlyAccess'] }),
    reports: /managed policy/,
  },
  {
    title: 'a role that any principal can assume',
    check: 'no policy allows an unknown principal',
    type: 'AWS::IAM::Role',
    change: ({ Properties }) =>
      Object.assign(firstOf(Properties.AssumeRolePolicyDocument.Statement), { Principal: { AWS: '*' } }),
    reports: /others than one service/,
  },
  {
    title: 'a bucket that allows every principal',
    check: 'no policy allows an unknown principal',
    type: 'AWS::S3::BucketPolicy',
    change: ({ Properties }) =>
      Properties.PolicyDocument.Statement.push({
        Effect: 'Allow',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: '*',
      }),
    reports: /allows everybody/,
  },
  {
    title: 'a secret that is removed with its stack',
    check: 'secrets, users and the stream are retained, and no secret has a value in a template',
    type: 'AWS::SecretsManager::Secret',
    change: (secret) => Object.assign(secret, { DeletionPolicy: 'Delete' }),
    reports: /kept when it leaves its stack/,
  },
];
