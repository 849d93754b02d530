import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, type AlarmProps } from 'aws-cdk-lib/aws-cloudwatch';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { serviceName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';

/** Alarm descriptions link to sections of this file. */
const RUNBOOK = 'docs/runbook.md';

/** Alarms cost money, so `dev` has them only with `alarmMail`, and a preview has none. */
export const hasAlarms = ({ isMonitored, keepsData, watch }: Stage): boolean =>
  isMonitored && (keepsData || watch.alarmMail !== undefined);

const topicName = (stage: Stage): string => `${serviceName(stage)}-alarms`;

const CLOUDWATCH = new ServicePrincipal('cloudwatch.amazonaws.com');

/**
 * If the stage has alarms, creates the topic for alarms of all stacks. If `alarmMail` is set, it gets a subscription.
 * The topic has its own key, because CloudWatch cannot send notifications to a topic with the AWS managed key of SNS.
 */
export function addAlarmTopic(stack: Stack, stage: Stage): void {
  if (!hasAlarms(stage)) return;
  const fromHere = { StringEquals: { 'aws:SourceAccount': stack.account } };
  const key = new Key(stack, 'AlarmKey', {
    description: `Encrypts alarm notifications of ${serviceName(stage)}`,
    enableKeyRotation: true,
    pendingWindow: Duration.days(7),
    removalPolicy: RemovalPolicy.DESTROY,
  });
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [CLOUDWATCH],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      conditions: fromHere,
    }),
  );
  const topic = new Topic(stack, 'Alarms', { topicName: topicName(stage), masterKey: key, enforceSSL: true });
  topic.addToResourcePolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      principals: [CLOUDWATCH],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: fromHere,
    }),
  );
  if (stage.watch.alarmMail !== undefined) topic.addSubscription(new EmailSubscription(stage.watch.alarmMail));
}

export type AlarmOptions = Omit<AlarmProps, 'alarmDescription' | 'alarmName' | 'actionsEnabled'> & {
  stage: Stage;
  /** Anchor of the runbook section. */
  runbook: string;
  /** What the alarm means, as a sentence for the operator who is notified. */
  says: string;
};

/**
 * Creates an alarm. If the stage has an alarm topic, the topic is notified when the alarm is raised and when the alarm
 * is over. The topic is referenced by name (see `names.ts`).
 */
export function createAlarm(scope: Construct, id: string, { stage, runbook, says, ...props }: AlarmOptions): Alarm {
  const alarm = new Alarm(scope, id, { ...props, alarmDescription: `${says}\n${RUNBOOK}#${runbook}` });
  if (!hasAlarms(stage)) return alarm;
  const topic = Stack.of(scope).formatArn({
    service: 'sns',
    resource: topicName(stage),
    arnFormat: ArnFormat.NO_RESOURCE_NAME,
  });
  const notify = { bind: () => ({ alarmActionArn: topic }) };
  alarm.addAlarmAction(notify);
  alarm.addOkAction(notify);
  return alarm;
}
