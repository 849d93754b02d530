import * as z from 'zod/mini';
import { type Check, type Deployment, each, type Found, has, list, resourcesOf } from '../template.ts';

const isRetained = ({ DeletionPolicy, UpdateReplacePolicy }: Found): boolean =>
  /^Retain/.test(DeletionPolicy ?? '') && /^Retain/.test(UpdateReplacePolicy ?? '');

/** Ignores a requirement in dev and previews, where resources are deleted with their stack. */
const onlyInProd =
  ({ stage }: Deployment) =>
  (holds: (resource: Found) => boolean) =>
  (resource: Found): boolean =>
    stage !== 'prod' || holds(resource);

const on = z.literal(true);
const replica = (shape: z.ZodMiniType) => z.object({ Replicas: z.array(shape).check(z.minLength(1)) });

export const checkTables: Check = (deployment) => {
  const inProd = onlyInProd(deployment);
  return each(resourcesOf(deployment, 'AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'), {
    'must be retained when it leaves its stack': inProd(isRetained),
    'must be protected against deletion': inProd((table) =>
      has(table.Properties, replica(z.object({ DeletionProtectionEnabled: on }))),
    ),
    'must have point-in-time recovery': inProd((table) => has(table.Properties, replica(RECOVERABLE))),
    'must be encrypted with a KMS key': (table) =>
      has(table.Properties, z.object({ SSESpecification: z.object({ SSEEnabled: on, SSEType: z.literal('KMS') }) })),
    'must delete expired items': (table) =>
      has(table.Properties, z.object({ TimeToLiveSpecification: z.object({ Enabled: on }) })),
    'must be billed on demand': (table) => table.Properties.BillingMode === 'PAY_PER_REQUEST',
  });
};
const RECOVERABLE = z.object({ PointInTimeRecoverySpecification: z.object({ PointInTimeRecoveryEnabled: on }) });

const ENCRYPTED = z.object({
  BucketEncryption: z.object({
    ServerSideEncryptionConfiguration: z.array(
      z.object({ ServerSideEncryptionByDefault: z.object({ SSEAlgorithm: z.enum(['AES256', 'aws:kms']) }) }),
    ),
  }),
});
const ABORTS_UPLOADS = z.object({
  Status: z.literal('Enabled'),
  AbortIncompleteMultipartUpload: z.object({ DaysAfterInitiation: z.number().check(z.maximum(7)) }),
  Prefix: z.optional(z.undefined()),
});

/** Public access and requests without TLS are not checked here, because cdk-nag checks them. */
export const checkBuckets: Check = (deployment) => {
  const policies = resourcesOf(deployment, 'AWS::S3::BucketPolicy');
  const denialsOf = (bucket: Found): string =>
    policies
      .filter(({ stack, Properties }) => stack === bucket.stack && Properties.Bucket?.Ref === bucket.id)
      .flatMap(({ Properties }) => list(Properties.PolicyDocument?.Statement))
      .filter((statement) => has(statement, DENIES_EVERYTHING))
      .map((statement) => JSON.stringify((statement as { Condition: unknown }).Condition))
      .join();
  return each(resourcesOf(deployment, 'AWS::S3::Bucket'), {
    'must be retained when it leaves its stack': onlyInProd(deployment)(isRetained),
    'must be encrypted': ({ Properties }) => has(Properties, ENCRYPTED),
    'must have no access control lists': ({ Properties }) =>
      Properties.AccessControl === undefined && Properties.OwnershipControls === undefined,
    'must reject requests with TLS before 1.2': (bucket) => denialsOf(bucket).includes('"s3:TlsVersion":1.2'),
    'must abort incomplete uploads': ({ Properties }) =>
      list(Properties.LifecycleConfiguration?.Rules).some((rule) => has(rule, ABORTS_UPLOADS)),
    'must have a generated name': ({ Properties }) => Properties.BucketName === undefined,
  });
};
const DENIES_EVERYTHING = z.object({
  Effect: z.literal('Deny'),
  Action: z.literal('s3:*'),
  Principal: z.object({ AWS: z.literal('*') }),
});

export const checkSecretsAndUsers: Check = (deployment) => {
  const inProd = onlyInProd(deployment);
  return [
    ...each(resourcesOf(deployment, 'AWS::SecretsManager::Secret'), {
      'must be retained when it leaves its stack': inProd(isRetained),
      'must have no value in the template': ({ Properties }) => Properties.SecretString === undefined,
    }),
    ...each(resourcesOf(deployment, 'AWS::Cognito::UserPool'), {
      'must be retained when it leaves its stack': inProd(isRetained),
      'must be protected against deletion': inProd(({ Properties }) => Properties.DeletionProtection === 'ACTIVE'),
    }),
    ...each(resourcesOf(deployment, 'AWS::Cognito::UserPoolClient'), {
      'must not send tokens to a page': ({ Properties }) =>
        Properties.AllowedOAuthFlowsUserPoolClient === false && Properties.CallbackURLs === undefined,
    }),
    ...each(resourcesOf(deployment, 'AWS::Kinesis::Stream'), {
      'must be retained when it leaves its stack': inProd(isRetained),
    }),
  ];
};

const PROTECTED = z.union([
  z.object({ DeletionProtection: z.literal('ACTIVE') }),
  replica(z.object({ DeletionProtectionEnabled: on })),
]);

/**
 * A failed deployment must delete its new resources: an empty stream costs money, and a named resource blocks the next
 * deployment. Protected resources must stay. CloudFormation cannot delete them, and an attempt would make the deletion
 * of the stack fail.
 */
export const checkFailedDeployments: Check = (deployment) =>
  each(
    resourcesOf(deployment).filter(({ DeletionPolicy }) => /^Retain/.test(DeletionPolicy ?? '')),
    {
      'must be deleted with a failed deployment, unless it is protected': ({ Properties, DeletionPolicy }) =>
        DeletionPolicy === (has(Properties, PROTECTED) ? 'Retain' : 'RetainExceptOnCreate'),
    },
  );

export const checkLogs: Check = (deployment) =>
  each(resourcesOf(deployment, 'AWS::Logs::LogGroup'), {
    'must have the retention period of its stage': ({ Properties }) =>
      Properties.RetentionInDays === (deployment.stage === 'prod' ? 90 : 7),
    'must be retained when it leaves its stack': onlyInProd(deployment)(({ DeletionPolicy }) =>
      /^Retain/.test(DeletionPolicy ?? ''),
    ),
  });

const DENIES_WITHOUT_TLS = z.object({
  Effect: z.literal('Deny'),
  Condition: z.object({ Bool: z.object({ 'aws:SecureTransport': z.literal('false') }) }),
});

export const checkQueuesAndTopics: Check = (deployment) => {
  const policies = resourcesOf(deployment, 'AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy');
  const rejectsPlainHttp = (receiver: Found): boolean =>
    policies.some(
      ({ stack, Properties }) =>
        stack === receiver.stack &&
        JSON.stringify([Properties.Queues, Properties.Topics]).includes(`"${receiver.id}"`) &&
        list(Properties.PolicyDocument?.Statement).some((statement) => has(statement, DENIES_WITHOUT_TLS)),
    );
  return [
    ...each(resourcesOf(deployment, 'AWS::SQS::Queue'), {
      'must be encrypted': ({ Properties }) =>
        Properties.SqsManagedSseEnabled === true || Properties.KmsMasterKeyId !== undefined,
      'must reject requests without TLS': rejectsPlainHttp,
    }),
    ...each(resourcesOf(deployment, 'AWS::SNS::Topic'), {
      'must be encrypted': ({ Properties }) => Properties.KmsMasterKeyId !== undefined,
      'must reject requests without TLS': rejectsPlainHttp,
    }),
  ];
};
