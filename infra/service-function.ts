import { join } from 'node:path';
import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  ParamsAndSecretsLayerVersion,
  ParamsAndSecretsLogLevel,
  ParamsAndSecretsVersions,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Grant } from '../shared/platform/grants.ts';
import { duckdbLayer } from './duckdb-layer.ts';
import { settingsOf } from './function-settings.ts';
import { environmentOf, type Resources, statementsOf } from './grant-policies.ts';
import type { Stage } from './stages.ts';

export type Deployment = {
  stage: Stage;
  /** The folder that `bundle.ts` and `duckdb-layer.ts` write to. */
  dist: string;
  resources: Resources;
};

type Declared = {
  id: string;
  summary: string;
  grants: readonly Grant[];
  limits: { timeoutSeconds: number; memoryMb: number };
  duckdb?: boolean;
};

type Later = {
  retries: 0 | 2;
  /** Of an event that waits, for its first or next attempt. */
  ageMax: Duration;
  /** Where what failed every time is kept. */
  deadLetters?: Queue;
};

type Options = {
  environment?: Record<string, string>;
  reservedConcurrency?: number;
  functionName?: string;
  /** What becomes of an event that nobody waits for. */
  later?: Later;
};

/** A construct's name for a function: `funnel/ingest-analytics` is `FunnelIngestAnalytics`. */
export const pascal = (id: string): string => id.replace(/(?:^|[/-])(\w)/g, (_, first: string) => first.toUpperCase());

/** A declared function with its prebuilt bundle, a log group, and a role that can do what its grants say and no more. */
export function serviceFunction(
  stack: Stack,
  { stage, dist, resources }: Deployment,
  declared: Declared,
  { environment = {}, reservedConcurrency, functionName, later }: Options = {},
): LambdaFunction {
  const name = pascal(declared.id);
  const logGroup = new LogGroup(stack, `${name}Logs`, {
    retention: stage.logRetention,
    removalPolicy: stage.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  const layer = declared.duckdb ? duckdbLayer(stack, dist) : undefined;
  return new LambdaFunction(stack, name, {
    description: declared.summary,
    ...(functionName && { functionName }),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    // Source maps and esbuild's report lie beside it.
    code: Code.fromAsset(join(dist, declared.id), { exclude: ['*', '!index.mjs'] }),
    handler: 'index.handler',
    timeout: Duration.seconds(declared.limits.timeoutSeconds),
    memorySize: declared.limits.memoryMb,
    role: roleOf(stack, name, [...statementsOf(declared.grants, resources), ...deadLetterStatements(later)], logGroup),
    logGroup,
    tracing: Tracing.ACTIVE,
    environment: {
      ...environmentOf(declared.grants, resources),
      ...settingsOf(declared.grants, stage),
      ...environment,
    },
    ...(layer && { layers: [layer] }),
    ...(declared.grants.some((grant) => grant.endsWith('-secret:read')) && { paramsAndSecrets: secretsExtension() }),
    ...(stage.reservesConcurrency && reservedConcurrency && { reservedConcurrentExecutions: reservedConcurrency }),
    ...(later && lateProps(later)),
  });
}

function lateProps({ retries, ageMax, deadLetters }: Later) {
  return {
    retryAttempts: retries,
    maxEventAge: ageMax,
    // Not CDK's own destination: that adds grants to the role.
    ...(deadLetters && { onFailure: { bind: () => ({ destination: deadLetters.queueArn }) } }),
  };
}

/** It is with the function's role that Lambda puts an event into the queue. */
const deadLetterStatements = (later: Later | undefined): PolicyStatement[] =>
  later?.deadLetters === undefined
    ? []
    : [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [later.deadLetters.queueArn] })];

/** Answers reads of a secret from its memory, so that a warm function makes no call for it. */
const secretsExtension = () =>
  ParamsAndSecretsLayerVersion.fromVersion(ParamsAndSecretsVersions.V1_0_103, {
    logLevel: ParamsAndSecretsLogLevel.WARN,
  });

/**
 * CDK's own grants add wildcards (every index, every form of reading an object): the statements are written out here,
 * and nothing can add to the role afterwards.
 */
function roleOf(stack: Stack, name: string, granted: readonly PolicyStatement[], logGroup: LogGroup) {
  const logs = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  const traces = new PolicyStatement({
    actions: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
    // X-Ray has no resources to name.
    resources: ['*'],
  });
  return new Role(stack, `${name}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      grants: new PolicyDocument({ statements: [...granted, logs, traces], minimize: false }),
    },
  }).withoutPolicyUpdates();
}
