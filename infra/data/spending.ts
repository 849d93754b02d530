import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Stage } from '../settings/stages.ts';

/** Percent of the budget: what is spent, and what the month will have cost at this pace. */
const TOLD_AT = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'ACTUAL', threshold: 100 },
  { notificationType: 'FORECASTED', threshold: 100 },
];

/**
 * Has someone written to before a month costs more than planned. The budget is for the whole account: costs by stack
 * would need tags that an administrator activates, and without them it would never see any. It has no name of ours: to
 * tell another address, CloudFormation makes a new one before it removes the old, and in another region there is one more.
 */
export function watchSpending(stack: Stack, stage: Stage): void {
  const { alarmMail, monthlyBudgetUsd, monthlySmsUsd } = stage.watch;
  if (alarmMail !== undefined && monthlyBudgetUsd !== undefined) {
    new CfnBudget(stack, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyBudgetUsd, unit: 'USD' },
      },
      notificationsWithSubscribers: TOLD_AT.map((notification) => ({
        notification: { ...notification, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
        subscribers: [{ subscriptionType: 'EMAIL', address: alarmMail }],
      })),
    });
  }
  if (monthlySmsUsd !== undefined) {
    new CfnOutput(stack, 'LimitSmsSpending', {
      description: 'SMS have a limit of the account that no template can set: run this once.',
      value: `aws pinpoint-sms-voice-v2 set-text-message-spend-limit-override --monthly-limit ${monthlySmsUsd} --region ${stack.region}`,
    });
    // A template may not make it: where the account has it already, the deployment would fail.
    new CfnOutput(stack, 'CountSmsSpending', {
      description:
        'What SMS cost is counted, and an alarm on it can ring, once the account has this role: run this once.',
      value: 'aws iam create-service-linked-role --aws-service-name sms-voice.amazonaws.com',
    });
  }
}
