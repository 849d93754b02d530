import { join } from 'node:path';
import { ArnFormat, Duration, type Stack } from 'aws-cdk-lib';
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
import { addLiveAlias, LIVE, versionOptions } from './live-alias.ts';

export type Deployment = {
  stage: Stage;
  /** The output folder of `bundle.ts` and `duckdb-layer.ts`. */
  dist: string;
  resources: GrantResources;
};

type Declared = {
  id: string;
  summary: string;
  grants: readonly Grant[];
  limits: { timeoutSeconds: number; memoryMb: number };
  duckdb?: boolean;
  /**
   * Set if the function streams its response. The duration then depends on another service, so the alarm on slow
   * responses has a higher threshold.
   */
  streamContentTypes?: readonly string[];
};

type AsyncInvocation = {
  retries: 0 | 2;
  /** Maximum age of an event in Lambda's queue. Lambda makes no attempt for an older event. */
  ageMax: Duration;
  /** The queue for events that became too old, or for which all attempts failed. */
  deadLetters: Queue;
};

type Options = {
  environment?: Record<string, string>;
  reservedConcurrency?: number;
  asyncInvocation?: AsyncInvocation;
  /** True if the function runs so rarely that a canary deployment would not detect errors of a new version. */
  skipsCanary?: boolean;
  /**
   * Whether X-Ray traces the function. Default: true. A function that runs every few seconds is not traced, because
   * X-Ray bills each trace.
   */
  isTraced?: boolean;
};

/** Converts a function's id to a construct id: `funnel/ingest-analytics` becomes `FunnelIngestAnalytics`. */
export const toPascalCase = (id: string): string =>
  id.replace(/(?:^|[/-])(\w)/g, (_, first: string) => first.toUpperCase());

/**
 * Returns the alias of a function that another stack creates. The other stack must also permit callers to invoke the
 * alias, because CDK cannot add permissions from this stack.
 *
 * @param stack the stack that refers to the alias
 */
export function aliasByName(stack: Stack, stage: Stage, id: string): IFunction {
  const functionArn = stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `${functionName(stage, id)}:${LIVE}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return LambdaFunction.fromFunctionAttributes(stack, toPascalCase(id), { functionArn, skipPermissions: true });
}

/** Returns the deployed files of a bundle, without source maps, the build report and files of earlier builds. */
const bundleIn = (folder: string) =>
  Code.fromAsset(folder, { exclude: ['*', ...deployedFiles(folder).map((file) => `!${file}`)] });

/**
 * Creates a declared function with its prebuilt bundle, a log group and a role. The role has only the permissions of
 * the grants, and permissions for logs, traces and the dead-letter queue. Returns the alias that callers invoke.
 */
export function createLambdaFunction(
  stack: Stack,
  { stage, dist, resources }: Deployment,
  declared: Declared,
  { environment = {}, reservedConcurrency, asyncInvocation, skipsCanary = false, isTraced = true }: Options = {},
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
      [...grantStatements(declared.grants, resources), ...deadLetterStatements(asyncInvocation)],
      logGroup,
    ),
    logGroup,
    tracing: isTraced ? Tracing.ACTIVE : Tracing.PASS_THROUGH,
    environment: {
      // The dimension `service` of the function's metrics.
      POWERTOOLS_SERVICE_NAME: serviceName(stage),
      ...(!stage.isMonitored && { POWERTOOLS_METRICS_DISABLED: 'true' }),
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
    gradually: !skipsCanary,
    ...(asyncInvocation && { aliasOptions: asyncAliasOptions(asyncInvocation) }),
  });
}

/**
 * Returns the threshold of the alarm for slow invocations: 50 % of the timeout. For functions that stream their
 * response, returns 90 %, because even a normal streamed response takes long.
 */
const slowMs = ({ limits, streamContentTypes }: Declared): number =>
  limits.timeoutSeconds * (streamContentTypes === undefined ? 500 : 900);

function asyncAliasOptions({ retries, ageMax, deadLetters }: AsyncInvocation) {
  return {
    retryAttempts: retries,
    maxEventAge: ageMax,
    // CDK's class `SqsDestination` is not used, because it would add statements to the role.
    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
  };
}

/** Returns the statement for the dead-letter queue. Lambda sends events to the queue with the function's role. */
const deadLetterStatements = (asyncInvocation: AsyncInvocation | undefined): PolicyStatement[] =>
  asyncInvocation === undefined
    ? []
    : [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [asyncInvocation.deadLetters.queueArn] })];

/** Returns the layer that caches secrets, so that a warm function seldom needs a call to Secrets Manager. */
function secretsExtension({ region: { secretsLayerArn } }: Stage): ParamsAndSecretsLayerVersion {
  const options = { logLevel: ParamsAndSecretsLogLevel.WARN };
  return secretsLayerArn === undefined
    ? ParamsAndSecretsLayerVersion.fromVersion(SECRETS_EXTENSION, options)
    : ParamsAndSecretsLayerVersion.fromVersionArn(secretsLayerArn, options);
}

/**
 * Creates the role with explicit statements, because CDK's own grants add wildcards (all indexes, all read actions on
 * objects). Nothing can add permissions to the role afterwards.
 */
function roleOf(stack: Stack, name: string, granted: readonly PolicyStatement[], logGroup: LogGroup) {
  const logs = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  const traces = new PolicyStatement({
    actions: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
    // These actions support no resource-level permissions.
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
