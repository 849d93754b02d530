import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Stream, StreamEncryption, StreamMode } from 'aws-cdk-lib/aws-kinesis';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { BackgroundFunction } from '../../../functions/background-function.ts';
import { requireLayer } from '../../functions/duckdb-layer.ts';
import type { GrantResources, InvokedFunction } from '../../functions/grant-policies.ts';
import { createLambdaFunction, type Deployment, toPascalCase } from '../../functions/lambda-function.ts';
import { LIVE } from '../../functions/live-alias.ts';
import { explain } from '../../nag/acknowledge-findings.ts';
import { functionName, queueName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { removalPolicy } from '../data/removal-policy.ts';

type Trigger = BackgroundFunction['trigger'];
type StreamTrigger = Extract<Trigger, { stream: string }>;

/** The longest that an acknowledged event waits for a consumer that fails. */
const STREAM_RETENTION = Duration.days(7);

/** -1: as long as the stream keeps the record. What was acknowledged is never skipped. */
const UNTIL_EXPIRED = -1;

/** Then the sweeper has long found the same work again. */
const EVENT_AGE_MAX = Duration.hours(1);

/** The longest that SQS keeps a message. */
const DEAD_LETTERS_KEPT = Duration.days(14);

export type Streaming = { stack: Stack; deployment: Deployment };

/** The event stream and what works behind it, without a caller. */
export function streamingStack(
  scope: Construct,
  {
    resources,
    ...rest
  }: Omit<Deployment, 'resources'> & { resources: Omit<GrantResources, 'stream:events' | InvokedFunction> },
  functions: readonly BackgroundFunction[],
): Streaming {
  const { stage, dist } = rest;
  const stack = new Stack(scope, `tributary-${stage.name}-streaming`, { terminationProtection: stage.keepsData });
  requireLayer(stack, dist);
  const stream = new Stream(stack, 'Events', {
    ...(stage.eventShards === undefined
      ? { streamMode: StreamMode.ON_DEMAND }
      : { streamMode: StreamMode.PROVISIONED, shardCount: stage.eventShards }),
    retentionPeriod: STREAM_RETENTION,
    encryption: StreamEncryption.MANAGED,
    removalPolicy: removalPolicy(stage),
  });
  const events = { arn: stream.streamArn, name: stream.streamName };
  const deployment = {
    ...rest,
    resources: {
      ...resources,
      'stream:events': events,
      'function:analyse-call': invoked(stack, stage, 'background/analyse-call'),
      'function:remove-domain': invoked(stack, stage, 'background/remove-domain'),
    },
  };
  const missedRuns = queue(stack, stage, 'MissedRuns');
  for (const declared of functions) {
    if ('stream' in declared.trigger) consumer(stack, deployment, declared, declared.trigger);
    else if ('everyMinutes' in declared.trigger)
      scheduled(stack, deployment, declared, { everyMinutes: declared.trigger.everyMinutes, missedRuns });
    else {
      createLambdaFunction(stack, deployment, declared, {
        later: {
          retries: 2,
          ageMax: EVENT_AGE_MAX,
          deadLetters: queue(stack, stage, `${toPascalCase(declared.id)}DeadLetters`),
        },
      });
    }
  }
  return { stack, deployment };
}

/** What others invoke is the alias: Lambda takes its name after the function's, and checks the caller's policy against it. */
function invoked(stack: Stack, stage: Stage, id: string) {
  const name = `${functionName(stage, id)}:${LIVE}`;
  return {
    arn: stack.formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: name,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    }),
    name,
  };
}

/** Events whose function failed at every attempt, with its error: ids, nothing that was said. */
function queue(stack: Stack, stage: Stage, id: string): Queue {
  const made = new Queue(stack, id, {
    queueName: queueName(stage, id),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: DEAD_LETTERS_KEPT,
  });
  return explain(made, {
    SQS3: 'It is itself where Lambda and the scheduler put what failed: no function takes messages from it that could fail once more.',
  });
}

function consumer(stack: Stack, deployment: Deployment, declared: BackgroundFunction, trigger: StreamTrigger) {
  const handler = createLambdaFunction(stack, deployment, declared);
  // Not the construct's `addEventSource`: that adds grants to the role.
  new CfnEventSourceMapping(stack, `${toPascalCase(declared.id)}Source`, {
    functionName: handler.functionArn,
    eventSourceArn: deployment.resources['stream:events'].arn,
    startingPosition: 'TRIM_HORIZON',
    batchSize: trigger.batchRecords,
    parallelizationFactor: deployment.stage.consumesBatchesInParallel ? trigger.parallelBatchesPerShard : 1,
    bisectBatchOnFunctionError: true,
    functionResponseTypes: ['ReportBatchItemFailures'],
    // No destination for what fails: with endless attempts nothing ever does, and what can not be read is set aside by the function.
    maximumRetryAttempts: UNTIL_EXPIRED,
    maximumRecordAgeInSeconds: UNTIL_EXPIRED,
  });
}

type Scheduled = { everyMinutes: number; missedRuns: Queue };

/**
 * Its work is a state in the tables, so a run that failed is not retried: the next one finds the same work. A run that
 * failed, or that could not begin, is kept where somebody sees it; one alone may be a run that the one before outlasted.
 */
function scheduled(
  stack: Stack,
  deployment: Deployment,
  declared: BackgroundFunction,
  { everyMinutes, missedRuns }: Scheduled,
) {
  const handler = createLambdaFunction(stack, deployment, declared, {
    reservedConcurrency: 1,
    seldom: true,
    // Else what waits for the one execution is tried for hours, a tick after the other.
    later: { retries: 0, ageMax: Duration.minutes(1), deadLetters: missedRuns },
  });
  new Rule(stack, `${toPascalCase(declared.id)}Schedule`, {
    description: declared.summary,
    schedule: Schedule.rate(Duration.minutes(everyMinutes)),
    targets: [
      new LambdaTarget(handler, { retryAttempts: 0, maxEventAge: Duration.minutes(1), deadLetterQueue: missedRuns }),
    ],
  });
}
