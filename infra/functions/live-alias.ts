import { Duration, type Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  ComparisonOperator,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, AliasOptions, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { explainWildcards } from '../nag/wildcards.ts';
import { serviceName } from '../names.ts';
import type { Stage } from '../settings/stages.ts';
import { removalPolicy } from '../stacks/data/removal-policy.ts';
import { createAlarm } from '../stacks/observability/alarm-topic.ts';

/** The alias that callers invoke. During a deployment, the alias can distribute invocations between two versions. */
export const LIVE = 'live';

/** For five minutes, a new version gets 10 % of the invocations, and after that 100 %. */
const SHIFT = LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES;
const COUNTED_EVERY = Duration.minutes(1);
const FAILED_PERCENT_MAX = 2;
/** Minimum number of failures per period, so that a single failure at low traffic raises no alarm. */
const FAILED_MIN = 3;

/** An alarm is raised if two of three periods exceed its threshold. */
const RAISED = {
  evaluationPeriods: 3,
  datapointsToAlarm: 2,
  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  treatMissingData: TreatMissingData.NOT_BREACHING,
};

type Shifted = {
  id: string;
  stage: Stage;
  /**
   * A new version is rolled back if the 99th percentile of the durations exceeds this in two of three minutes of its
   * gradual deployment.
   */
  slowMs: number;
  aliasOptions?: AliasOptions;
  /**
   * Whether new versions are deployed gradually. False if the function runs too rarely for its alarms to detect errors.
   */
  gradually: boolean;
};

/**
 * Adds the alias that callers, streams and schedules invoke. If new versions are deployed gradually, alarms roll back a
 * new version if invocations fail or are slow during its deployment.
 */
export function addLiveAlias(stack: Stack, name: string, lambda: LambdaFunction, shifted: Shifted): IFunction {
  const { stage, aliasOptions, gradually } = shifted;
  const alias = lambda.addAlias(LIVE, aliasOptions);
  if (!stage.shiftsGradually || !gradually) return asFunction(alias);
  const { application, role } = deploymentsOf(stack, lambda);
  new LambdaDeploymentGroup(stack, `${name}Deployment`, {
    alias,
    application,
    role,
    deploymentConfig: SHIFT,
    alarms: [failing(stack, name, alias, shifted), slow(stack, name, alias, shifted)],
    autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
  });
  return asFunction(alias);
}

/** The cast is necessary because CDK's optional properties are not typed for `exactOptionalPropertyTypes`. */
const asFunction = (alias: Alias): IFunction => alias as IFunction;

/**
 * In a stage that keeps data, old versions are kept for a manual rollback. A version whose deployment failed is
 * removed, so that it does not block the next deployment.
 */
export const versionOptions = (stage: Stage) => ({
  currentVersionOptions: { removalPolicy: removalPolicy(stage) },
});

/**
 * Creates the alarm for failed invocations. `unanswered` are invocations without a response (Lambda's metric `Errors`).
 * `answered` are responses with status 500 or higher (custom metric `ServerErrors`).
 */
function failing(stack: Stack, name: string, alias: Alias, { stage, id }: Shifted): Alarm {
  const answered = new Metric({
    namespace: 'Tributary',
    metricName: 'ServerErrors',
    dimensionsMap: { service: serviceName(stage), function: id },
    statistic: Stats.SUM,
    period: COUNTED_EVERY,
  });
  const failed = 'FILL(unanswered, 0) + FILL(answered, 0)';
  const metric = new MathExpression({
    expression: `IF(${failed} >= ${FAILED_MIN}, 100 * (${failed}) / invocations, 0)`,
    label: 'Invocations that failed, percent',
    period: COUNTED_EVERY,
    usingMetrics: {
      answered,
      unanswered: alias.metricErrors({ period: COUNTED_EVERY }),
      invocations: alias.metricInvocations({ period: COUNTED_EVERY }),
    },
  });
  return createAlarm(stack, `${name}Failing`, {
    stage,
    metric,
    ...RAISED,
    threshold: FAILED_PERCENT_MAX,
    runbook: 'requests-fail',
    says:
      `More than ${FAILED_PERCENT_MAX} % of the invocations of ${id} fail. ` +
      'A version that is being deployed is rolled back automatically.',
  });
}

const slow = (stack: Stack, name: string, alias: Alias, { stage, id, slowMs }: Shifted): Alarm =>
  createAlarm(stack, `${name}Slow`, {
    stage,
    ...RAISED,
    metric: alias.metricDuration({ period: COUNTED_EVERY, statistic: Stats.p(99) }),
    threshold: slowMs,
    runbook: 'requests-are-slow',
    says:
      `At least 1 % of the invocations of ${id} take longer than ${slowMs} ms. ` +
      'A version that is being deployed is rolled back automatically.',
  });

type Deployments = { application: LambdaApplication; role: IRole; updateAliases: PolicyStatement };
const DEPLOYMENTS = new WeakMap<Stack, Deployments>();

/**
 * Returns the CodeDeploy application and the role, which all functions of a stack share. Allows the role to update the
 * alias of this function.
 */
function deploymentsOf(stack: Stack, lambda: LambdaFunction): Deployments {
  const deployments = DEPLOYMENTS.get(stack) ?? newDeployments(stack);
  DEPLOYMENTS.set(stack, deployments);
  deployments.updateAliases.addResources(lambda.functionArn, `${lambda.functionArn}:${LIVE}`);
  return deployments;
}

/** The role has the permissions of AWSCodeDeployRoleForLambdaLimited, restricted to the functions of this stack. */
function newDeployments(stack: Stack): Deployments {
  const updateAliases = new PolicyStatement({
    actions: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
  });
  // DescribeAlarms supports no resource-level permissions.
  const readAlarms = new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] });
  const role = new Role(stack, 'DeployRole', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: { deploy: new PolicyDocument({ statements: [updateAliases, readAlarms], minimize: false }) },
  });
  explainWildcards(role, [readAlarms]);
  return { application: new LambdaApplication(stack, 'Deployments'), role: role.withoutPolicyUpdates(), updateAliases };
}
