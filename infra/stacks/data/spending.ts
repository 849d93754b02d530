import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { serviceName } from '../../names.ts';
import { hasBudgets } from '../../settings/region-settings.ts';
import type { Stage } from '../../settings/stages.ts';

/** Notifications about the actual and the forecasted costs of the month. Thresholds are percentages of the budget. */
const NOTIFICATIONS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'ACTUAL', threshold: 100 },
  { notificationType: 'FORECASTED', threshold: 100 },
];

/**
 * If `monthlyBudgetUsd` is set, adds a monthly budget. If CloudFormation has no budgets in the region, adds an output
 * with the command that creates the budget instead. The budget covers the whole account, because AWS cannot assign
 * costs to a stack by default. In the template, the budget has no name, so that CloudFormation can replace it.
 *
 * If `monthlySmsUsd` is set, adds outputs with the commands that limit and measure the costs of SMS.
 */
export function watchSpending(stack: Stack, stage: Stage): void {
  const { alarmMail, monthlyBudgetUsd, monthlySmsUsd } = stage.watch;
  if (alarmMail !== undefined && monthlyBudgetUsd !== undefined) {
    const budget = budgetOf(monthlyBudgetUsd, alarmMail);
    if (hasBudgets(stage.region)) new CfnBudget(stack, 'Budget', budget);
    else budgetCommand(stack, stage, budget);
  }
  if (monthlySmsUsd !== undefined) {
    new CfnOutput(stack, 'LimitSmsSpending', {
      description: "CloudFormation cannot set the account's monthly SMS spending limit. Run this command once.",
      value: `aws pinpoint-sms-voice-v2 set-text-message-spend-limit-override --monthly-limit ${monthlySmsUsd} --region ${stack.region}`,
    });
    // The operator creates the role. If the template created the role, the deployment would fail in an account that
    // already has it.
    new CfnOutput(stack, 'CountSmsSpending', {
      description:
        'SMS spending metrics and their alarm need this service-linked role. Run this command once per account.',
      value: 'aws iam create-service-linked-role --aws-service-name sms-voice.amazonaws.com',
    });
  }
}

const budgetOf = (monthlyUsd: number, address: string) => ({
  budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: monthlyUsd, unit: 'USD' } },
  notificationsWithSubscribers: NOTIFICATIONS.map((notification) => ({
    notification: { ...notification, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'EMAIL', address }],
  })),
});

function budgetCommand(
  stack: Stack,
  stage: Stage,
  { budget, notificationsWithSubscribers }: ReturnType<typeof budgetOf>,
) {
  const { amount, unit } = budget.budgetLimit;
  const limit = { amount: String(amount), unit };
  const named = { budgetName: `${serviceName(stage)}-${stage.region.region}`, ...budget, budgetLimit: limit };
  new CfnOutput(stack, 'WatchSpending', {
    description:
      'CloudFormation cannot create a budget in this region. Run this command once. Budgets belong to the account and are ' +
      'managed in us-east-1.',
    value:
      `aws budgets create-budget --region us-east-1 --account-id ${stack.account} ` +
      `--budget '${inApi(named)}' --notifications-with-subscribers '${inApi(notificationsWithSubscribers)}'`,
  });
}

/** Converts CDK's property names to those of the API. */
const inApi = (properties: unknown): string =>
  JSON.stringify(properties).replace(
    /"([a-z])(\w*)":/g,
    (_, first: string, rest: string) => `"${first.toUpperCase()}${rest}":`,
  );
