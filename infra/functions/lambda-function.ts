import { join } from 'node:path';
import { Duration, type Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  ParamsAndSecretsLayerVersion,
  ParamsAndSecretsLogLevel,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Grant } from '../../functions/grants.ts';
import { deployedFiles } from '../bundles/bundle-report.ts';
import { explainWildcards } from '../nag/wildcards.ts';
import { functionName, logGroupName, serviceName } from '../names.ts';
import { SECRETS_EXTENSION } from '../settings/region-settings.ts';
import type { Stage } from '../settings/stages.ts';
import { removalPolicy } from '../stacks/data/removal-policy.ts';
import { duckdbLayer } from './duckdb-layer.ts';
import { functionSettings } from './function-settings.ts';
import { type GrantResources, grantEnvironment, grantStatements } from './grant-policies.ts';
import { addLiveAlias, versionOptions } from './live-alias.ts';

export type Deployment = {
  stage: Stage;
  /** The folder that `bundle.ts` and `duckdb-layer.ts` write to. */
  dist: string;
  resources: GrantResources;
};

type Declared = {
  id: string;
  summary: string;
  grants: readonly Grant[];
  limits: { timeoutSeconds: number; memoryMb: number };
  duckdb?: boolean;
  /** Its answer takes as long as somebody else's. */
  streams?: unknown;
};

type Later = {
  retries: 0 | 2;
  /** Of an event that waits, for its first or next attempt. */
  ageMax: Duration;
  /** Where what failed every time is kept. */
  deadLetters: Queue;
};

type Options = {
  environment?: Record<string, string>;
  reservedConcurrency?: number;
  /** What becomes of an event that nobody waits for. */
  later?: Later;
  /** Runs so seldom that a tenth of its runs would tell nothing of a new version. */
  seldom?: boolean;
};

/** A construct's name for a function: `funnel/ingest-analytics` is `FunnelIngestAnalytics`. */
export const toPascalCase = (id: string): string =>
  id.replace(/(?:^|[/-])(\w)/g, (_, first: string) => first.toUpperCase());

/** Source maps, the report of the build and files of earlier builds lie beside it. */
const bundleIn = (folder: string) =>
  Code.fromAsset(folder, { exclude: ['*', ...deployedFiles(folder).map((file) => `!${file}`)] });

/**
 * A declared function with its prebuilt bundle, a log group, and a role that can do what its grants say and no more; by
 * the alias that is to be called.
 */
export function createLambdaFunction(
  stack: Stack,
  { stage, dist, resources }: Deployment,
  declared: Declared,
  { environment = {}, reservedConcurrency, later, seldom = false }: Options = {},
): IFunction {
  const name = toPascalCase(declared.id);
  const logGroup = new LogGroup(stack, `${name}Logs`, {
    logGroupName: logGroupName(stage, declared.id),
    retention: stage.logRetention,
    removalPolicy: removalPolicy(stage),
  });
  const layer = declared.duckdb ? duckdbLayer(stack, dist) : undefined;
  const lambda = new LambdaFunction(stack, name, {
    description: declared.summary,
    functionName: functionName(stage, declared.id),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: bundleIn(join(dist, declared.id)),
    handler: 'index.handler',
    timeout: Duration.seconds(declared.limits.timeoutSeconds),
    memorySize: declared.limits.memoryMb,
    role: roleOf(
      stack,
      name,
      [...grantStatements(declared.grants, resources), ...deadLetterStatements(later)],
      logGroup,
    ),
    logGroup,
    tracing: Tracing.ACTIVE,
    environment: {
      // A dimension of its metrics, by its Powertools name.
      POWERTOOLS_SERVICE_NAME: serviceName(stage),
      ...grantEnvironment(declared.grants, resources),
      ...functionSettings(declared.grants, stage),
      ...environment,
    },
    ...(layer && { layers: [layer] }),
    ...(declared.grants.some((grant) => grant.endsWith('-secret:read')) && {
      paramsAndSecrets: secretsExtension(stage),
    }),
    ...(stage.reservesConcurrency && reservedConcurrency && { reservedConcurrentExecutions: reservedConcurrency }),
    ...versionOptions(stage),
  });
  return addLiveAlias(stack, name, lambda, {
    stage,
    id: declared.id,
    slowMs: slowMs(declared),
    gradually: !seldom,
    ...(later && { later: lateProps(later) }),
  });
}

/** Half of its time; what streams takes its time with any version. */
const slowMs = ({ limits, streams }: Declared): number => limits.timeoutSeconds * (streams === undefined ? 500 : 900);

function lateProps({ retries, ageMax, deadLetters }: Later) {
  return {
    retryAttempts: retries,
    maxEventAge: ageMax,
    // Not CDK's own destination: that adds grants to the role.
    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
  };
}

/** It is with the function's role that Lambda puts an event into the queue. */
const deadLetterStatements = (later: Later | undefined): PolicyStatement[] =>
  later === undefined
    ? []
    : [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [later.deadLetters.queueArn] })];

/** Caches secrets in the function's environment, so that a warm function makes no call for one. */
function secretsExtension({ region: { secretsLayerArn } }: Stage): ParamsAndSecretsLayerVersion {
  const options = { logLevel: ParamsAndSecretsLogLevel.WARN };
  return secretsLayerArn === undefined
    ? ParamsAndSecretsLayerVersion.fromVersion(SECRETS_EXTENSION, options)
    : ParamsAndSecretsLayerVersion.fromVersionArn(secretsLayerArn, options);
}

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
  const statements = [...granted, logs, traces];
  const role = new Role(stack, `${name}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { grants: new PolicyDocument({ statements, minimize: false }) },
  });
  explainWildcards(role, statements);
  return role.withoutPolicyUpdates();
}
