import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, type AlarmProps } from 'aws-cdk-lib/aws-cloudwatch';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { serviceName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';

/** Where the paragraphs are that alarms name. */
const RUNBOOK = 'docs/runbook.md';

/** In dev nobody watches, and alarms cost money: only where a mailbox is named. */
export const hasAlarms = ({ keepsData, watch }: Stage): boolean => keepsData || watch.alarmMail !== undefined;

const topicName = (stage: Stage): string => `${serviceName(stage)}-alarms`;

const CLOUDWATCH = new ServicePrincipal('cloudwatch.amazonaws.com');

/**
 * What alarms of every stack tell, and the mailbox that hears it. Encrypted with a key of its own: CloudWatch may not use
 * the one that AWS keeps for SNS, and alarms would be silent.
 */
export function addAlarmTopic(stack: Stack, stage: Stage): void {
  if (!hasAlarms(stage)) return;
  const fromHere = { StringEquals: { 'aws:SourceAccount': stack.account } };
  const key = new Key(stack, 'AlarmKey', {
    description: `Encrypts what alarms of ${serviceName(stage)} say on their way`,
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
  /** The anchor of its paragraph in the runbook. */
  runbook: string;
  /** What it means, in a sentence for who is woken by it. */
  says: string;
};

/** An alarm that tells the topic when it begins and when it is over. The topic is named, not exported: see `names.ts`. */
export function createAlarm(scope: Construct, id: string, { stage, runbook, says, ...props }: AlarmOptions): Alarm {
  const alarm = new Alarm(scope, id, { ...props, alarmDescription: `${says}\n${RUNBOOK}#${runbook}` });
  if (!hasAlarms(stage)) return alarm;
  const topic = Stack.of(scope).formatArn({
    service: 'sns',
    resource: topicName(stage),
    arnFormat: ArnFormat.NO_RESOURCE_NAME,
  });
  const tell = { bind: () => ({ alarmActionArn: topic }) };
  alarm.addAlarmAction(tell);
  alarm.addOkAction(tell);
  return alarm;
}
