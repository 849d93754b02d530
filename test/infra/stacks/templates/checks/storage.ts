import * as z from 'zod/mini';
import { type Check, type Deployment, each, type Found, has, list, resourcesOf } from '../template.ts';

const isKept = ({ DeletionPolicy, UpdateReplacePolicy }: Found): boolean =>
  /^Retain/.test(DeletionPolicy ?? '') && /^Retain/.test(UpdateReplacePolicy ?? '');

/** In dev, resources are deleted with their stack. */
const onlyInProd =
  ({ stage }: Deployment) =>
  (holds: (resource: Found) => boolean) =>
  (resource: Found): boolean =>
    stage === 'dev' || holds(resource);

const on = z.literal(true);
const replica = (shape: z.ZodMiniType) => z.object({ Replicas: z.array(shape).check(z.minLength(1)) });

export const tablesAreSafe: Check = (deployment) => {
  const inProd = onlyInProd(deployment);
  return each(resourcesOf(deployment, 'AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'), {
    'is kept when it leaves its stack': inProd(isKept),
    'is protected against deletion': inProd((table) =>
      has(table.Properties, replica(z.object({ DeletionProtectionEnabled: on }))),
    ),
    'has point-in-time recovery': inProd((table) => has(table.Properties, replica(RECOVERABLE))),
    'is encrypted by a key of the account': (table) =>
      has(table.Properties, z.object({ SSESpecification: z.object({ SSEEnabled: on, SSEType: z.literal('KMS') }) })),
    'removes what has expired': (table) =>
      has(table.Properties, z.object({ TimeToLiveSpecification: z.object({ Enabled: on }) })),
    'is paid by use': (table) => table.Properties.BillingMode === 'PAY_PER_REQUEST',
  });
};
const RECOVERABLE = z.object({ PointInTimeRecoverySpecification: z.object({ PointInTimeRecoveryEnabled: on }) });

const BLOCKED = z.object({
  PublicAccessBlockConfiguration: z.object({
    ...{ BlockPublicAcls: on, BlockPublicPolicy: on, IgnorePublicAcls: on, RestrictPublicBuckets: on },
  }),
});
const ENCRYPTED = z.object({
  BucketEncryption: z.object({
    ServerSideEncryptionConfiguration: z.array(
      z.object({ ServerSideEncryptionByDefault: z.object({ SSEAlgorithm: z.enum(['AES256', 'aws:kms']) }) }),
    ),
  }),
});
const GIVES_UP_UPLOADS = z.object({
  Status: z.literal('Enabled'),
  AbortIncompleteMultipartUpload: z.object({ DaysAfterInitiation: z.number().check(z.maximum(7)) }),
  Prefix: z.optional(z.undefined()),
});

export const bucketsAreClosed: Check = (deployment) => {
  const policies = resourcesOf(deployment, 'AWS::S3::BucketPolicy');
  const denials = (bucket: Found): string =>
    policies
      .filter(({ stack, Properties }) => stack === bucket.stack && Properties.Bucket?.Ref === bucket.id)
      .flatMap(({ Properties }) => list(Properties.PolicyDocument?.Statement))
      .filter((statement) => has(statement, z.object({ Effect: z.literal('Deny'), Action: z.literal('s3:*') })))
      .filter((statement) => has(statement, z.object({ Principal: z.object({ AWS: z.literal('*') }) })))
      .map((statement) => JSON.stringify((statement as { Condition: unknown }).Condition))
      .join();
  return each(resourcesOf(deployment, 'AWS::S3::Bucket'), {
    'is kept when it leaves its stack': onlyInProd(deployment)(isKept),
    'blocks public access': ({ Properties }) => has(Properties, BLOCKED),
    'is encrypted': ({ Properties }) => has(Properties, ENCRYPTED),
    'knows no owner of an object but the account': ({ Properties }) => ownersEnforced(Properties),
    'answers by TLS alone': (bucket) => denials(bucket).includes('"aws:SecureTransport":"false"'),
    'answers by TLS 1.2 or newer alone': (bucket) => denials(bucket).includes('"s3:TlsVersion":1.2'),
    'gives up uploads that nobody finishes': ({ Properties }) =>
      list(Properties.LifecycleConfiguration?.Rules).some((rule) => has(rule, GIVES_UP_UPLOADS)),
    'has a name that AWS makes': ({ Properties }) => Properties.BucketName === undefined,
  });
};

/** S3's defaults since April 2023. */
const ownersEnforced = ({ OwnershipControls, AccessControl }: Found['Properties']): boolean =>
  AccessControl === undefined &&
  (OwnershipControls === undefined ||
    list(OwnershipControls.Rules).every((rule) =>
      has(rule, z.object({ ObjectOwnership: z.literal('BucketOwnerEnforced') })),
    ));

export const otherStateIsSafe: Check = (deployment) => {
  const inProd = onlyInProd(deployment);
  return [
    ...each(resourcesOf(deployment, 'AWS::SecretsManager::Secret'), {
      'is kept when it leaves its stack': inProd(isKept),
      'holds no value that stands in a template': ({ Properties }) => Properties.SecretString === undefined,
      'says what it is for': ({ Properties }) => String(Properties.Description ?? '').length > 20,
    }),
    ...each(resourcesOf(deployment, 'AWS::Cognito::UserPool'), {
      'is kept when it leaves its stack': inProd(isKept),
      'is protected against deletion': inProd(({ Properties }) => Properties.DeletionProtection === 'ACTIVE'),
    }),
    ...each(resourcesOf(deployment, 'AWS::Cognito::UserPoolClient'), {
      'sends tokens to no page': ({ Properties }) =>
        Properties.AllowedOAuthFlowsUserPoolClient === false && Properties.CallbackURLs === undefined,
    }),
    ...each(resourcesOf(deployment, 'AWS::Kinesis::Stream'), {
      'is kept when it leaves its stack': inProd(isKept),
      'is encrypted': ({ Properties }) => Properties.StreamEncryption?.EncryptionType === 'KMS',
      'keeps a week of records': ({ Properties }) => Properties.RetentionPeriodHours === 168,
    }),
  ];
};

const PROTECTED = z.union([
  z.object({ DeletionProtection: z.literal('ACTIVE') }),
  replica(z.object({ DeletionProtectionEnabled: on })),
]);

/**
 * A failed deployment leaves nothing behind: an empty stream costs money, and a named resource blocks the next
 * deployment. Only protected resources stay, as CloudFormation could not delete them, and the stack would be stuck.
 */
export const failedDeploymentsLeaveNothing: Check = (deployment) =>
  each(
    resourcesOf(deployment).filter(({ DeletionPolicy }) => /^Retain/.test(DeletionPolicy ?? '')),
    {
      'goes with a deployment that fails to make it, if it is not protected': ({ Properties, DeletionPolicy }) =>
        DeletionPolicy === (has(Properties, PROTECTED) ? 'Retain' : 'RetainExceptOnCreate'),
    },
  );

export const everyLogForgets: Check = (deployment) =>
  each(resourcesOf(deployment, 'AWS::Logs::LogGroup'), {
    'forgets after a time': ({ Properties }) => Properties.RetentionInDays === (deployment.stage === 'prod' ? 90 : 7),
    'is kept when it leaves its stack': onlyInProd(deployment)(({ DeletionPolicy }) =>
      /^Retain/.test(DeletionPolicy ?? ''),
    ),
  });

const DENIES_WITHOUT_TLS = z.object({
  Effect: z.literal('Deny'),
  Condition: z.object({ Bool: z.object({ 'aws:SecureTransport': z.literal('false') }) }),
});

/** Queues and topics are encrypted in transit and at rest. */
export const messagesAreSafe: Check = (deployment) => {
  const policies = resourcesOf(deployment, 'AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy');
  const byTlsAlone = (receiver: Found): boolean =>
    policies.some(
      ({ stack, Properties }) =>
        stack === receiver.stack &&
        JSON.stringify([Properties.Queues, Properties.Topics]).includes(`"${receiver.id}"`) &&
        list(Properties.PolicyDocument?.Statement).some((statement) => has(statement, DENIES_WITHOUT_TLS)),
    );
  return [
    ...each(resourcesOf(deployment, 'AWS::SQS::Queue'), {
      'is encrypted': ({ Properties }) =>
        Properties.SqsManagedSseEnabled === true || Properties.KmsMasterKeyId !== undefined,
      'takes messages by TLS alone': byTlsAlone,
      'keeps messages for two weeks': ({ Properties }) => Properties.MessageRetentionPeriod === 1_209_600,
    }),
    ...each(resourcesOf(deployment, 'AWS::SNS::Topic'), {
      'is encrypted': ({ Properties }) => Properties.KmsMasterKeyId !== undefined,
      'takes messages by TLS alone': byTlsAlone,
    }),
  ];
};
