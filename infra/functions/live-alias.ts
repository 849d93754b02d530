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

/** The name under which a function is called, whatever its newest version is. */
export const LIVE = 'live';

/** A new version takes a tenth of the calls for five minutes: two of the three in which an alarm can count it. */
const SHIFT = LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES;
const COUNTED_EVERY = Duration.minutes(1);
const FAILED_PERCENT_MAX = 2;
/** Below it, one visitor's bad luck would be a percentage. */
const FAILED_MIN = 3;

const RAISED = {
  evaluationPeriods: 3,
  datapointsToAlarm: 2,
  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  treatMissingData: TreatMissingData.NOT_BREACHING,
};

type Shifted = {
  /** Of the declared function. */
  id: string;
  stage: Stage;
  /** Of its p99, above which a new version is taken back. */
  slowMs: number;
  /** What becomes of events that nobody waits for. */
  later?: AliasOptions;
  /** Not of what runs so seldom that no alarm would learn anything of the new version. */
  gradually: boolean;
};

/** What callers, streams and schedules call. In prod a new version comes gradually, and alarms here take it back. */
export function addLiveAlias(stack: Stack, name: string, lambda: LambdaFunction, shifted: Shifted): IFunction {
  const { stage, later, gradually } = shifted;
  const alias = lambda.addAlias(LIVE, later);
  if (!stage.shiftsGradually || !gradually) return asFunction(alias);
  const { application, role } = deploymentsOf(stack, lambda);
  new LambdaDeploymentGroup(stack, `${name}Deployment`, {
    ...{ alias, application, role, deploymentConfig: SHIFT },
    alarms: [failing(stack, name, alias, shifted), slow(stack, name, alias, shifted)],
    autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
  });
  return asFunction(alias);
}

/** CDK means it so; its optional properties are not written as exactly as this project's compiler wants them. */
const asFunction = (alias: Alias): IFunction => alias as IFunction;

/** Old versions stay, to be gone back to by hand; but one whose deployment failed must not be in the way of the next. */
export const versionOptions = (stage: Stage) => ({
  currentVersionOptions: { removalPolicy: removalPolicy(stage) },
});

/** Lambda itself counts what a function did not answer; what it answered with 500 or more it counts itself. */
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
    label: 'Calls that failed, percent',
    period: COUNTED_EVERY,
    usingMetrics: {
      answered,
      unanswered: alias.metricErrors({ period: COUNTED_EVERY }),
      invocations: alias.metricInvocations({ period: COUNTED_EVERY }),
    },
  });
  return createAlarm(stack, `${name}Failing`, {
    ...{ stage, metric, ...RAISED },
    threshold: FAILED_PERCENT_MAX,
    runbook: 'calls-fail',
    says: `More than ${FAILED_PERCENT_MAX} % of the calls of ${id} fail. A version that is being deployed is taken back by itself.`,
  });
}

const slow = (stack: Stack, name: string, alias: Alias, { stage, id, slowMs }: Shifted): Alarm =>
  createAlarm(stack, `${name}Slow`, {
    ...{ stage, ...RAISED },
    metric: alias.metricDuration({ period: COUNTED_EVERY, statistic: Stats.p(99) }),
    threshold: slowMs,
    runbook: 'calls-are-slow',
    says: `One in a hundred calls of ${id} takes longer than ${slowMs} ms. A version that is being deployed is taken back by itself.`,
  });

type Deployments = { application: LambdaApplication; role: IRole; moves: PolicyStatement };
const DEPLOYMENTS = new WeakMap<Stack, Deployments>();

/** One application and one role a stack, which may move its functions' aliases and nothing else. */
function deploymentsOf(stack: Stack, lambda: LambdaFunction): Deployments {
  const made = DEPLOYMENTS.get(stack) ?? newDeployments(stack);
  DEPLOYMENTS.set(stack, made);
  made.moves.addResources(lambda.functionArn, `${lambda.functionArn}:${LIVE}`);
  return made;
}

/** What AWSCodeDeployRoleForLambdaLimited says, but for the functions here instead of all of the account. */
function newDeployments(stack: Stack): Deployments {
  const moves = new PolicyStatement({
    actions: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
  });
  // It asks for alarms by name, which IAM can not narrow.
  const looks = new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] });
  const role = new Role(stack, 'DeployRole', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: { deploy: new PolicyDocument({ statements: [moves, looks], minimize: false }) },
  });
  explainWildcards(role, [looks]);
  return { application: new LambdaApplication(stack, 'Deployments'), role: role.withoutPolicyUpdates(), moves };
}
