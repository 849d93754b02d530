import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Stream, StreamEncryption, StreamMode } from 'aws-cdk-lib/aws-kinesis';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { BackgroundFunction } from '../../../functions/declare-background-function.ts';
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

/** With -1, Lambda retries a failed record for as long as the stream keeps the record. */
const UNTIL_EXPIRED = -1;

/** Maximum age of an asynchronous invocation. Older work is not lost, because a sweeper finds the work again. */
const EVENT_AGE_MAX = Duration.hours(1);

/** SQS's maximum retention. */
const DEAD_LETTERS_KEPT = Duration.days(14);

export type Streaming = { stack: Stack; deployment: Deployment };

/** Creates the event stream and the background functions. */
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
    // If the consumer fails for longer than this period, acknowledged events are lost.
    retentionPeriod: Duration.days(stage.streamDays),
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
      'function:dispatch-messages': invoked(stack, stage, 'background/dispatch-messages'),
      'function:remove-domain': invoked(stack, stage, 'background/remove-domain'),
    },
  };
  const missedRuns = queue(stack, stage, 'MissedRuns');
  for (const declared of functions) {
    if ('stream' in declared.trigger) consumer(stack, deployment, declared, declared.trigger);
    else if ('everyMinutes' in declared.trigger)
      scheduled(stack, deployment, declared, { ...declared.trigger, missedRuns });
    else if ('everySeconds' in declared.trigger) repeated(stack, deployment, declared);
    else {
      createLambdaFunction(stack, deployment, declared, {
        asyncInvocation: {
          retries: 2,
          ageMax: EVENT_AGE_MAX,
          deadLetters: queue(stack, stage, `${toPascalCase(declared.id)}DeadLetters`),
        },
      });
    }
  }
  return { stack, deployment };
}

/**
 * Returns the resource of a function that other functions invoke. Name and ARN include the alias, because callers
 * invoke the alias and Lambda checks their policies against the ARN of the alias.
 */
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

/**
 * Creates a dead-letter queue. One queue gets all scheduled runs that failed or could not start. Each function that is
 * invoked asynchronously has its own queue, which gets the invocations that failed at every attempt or became too old.
 * Messages contain ids, but no content of training calls.
 */
function queue(stack: Stack, stage: Stage, id: string): Queue {
  const created = new Queue(stack, id, {
    queueName: queueName(stage, id),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: DEAD_LETTERS_KEPT,
  });
  return explain(created, {
    SQS3: 'This is itself a dead-letter queue of Lambda and EventBridge. No function consumes its messages.',
  });
}

function consumer(stack: Stack, deployment: Deployment, declared: BackgroundFunction, trigger: StreamTrigger) {
  const handler = createLambdaFunction(stack, deployment, declared);
  // Not `addEventSource` of the function construct, because it would add permissions to the role.
  new CfnEventSourceMapping(stack, `${toPascalCase(declared.id)}Source`, {
    functionName: handler.functionArn,
    eventSourceArn: deployment.resources['stream:events'].arn,
    startingPosition: 'TRIM_HORIZON',
    batchSize: trigger.batchRecords,
    parallelizationFactor: deployment.stage.consumesBatchesInParallel ? trigger.parallelBatchesPerShard : 1,
    bisectBatchOnFunctionError: true,
    functionResponseTypes: ['ReportBatchItemFailures'],
    // No failure destination is needed, because attempts are unlimited and the function stores unreadable records as
    // dead letters.
    maximumRetryAttempts: UNTIL_EXPIRED,
    maximumRecordAgeInSeconds: UNTIL_EXPIRED,
  });
}

type Scheduled = Extract<Trigger, { everyMinutes: number }> & { missedRuns: Queue };

/**
 * Reserved concurrency of a function with `repeats`, and of the function that it runs. The schedule can start an
 * execution before the previous one has ended. Therefore, two executions of each function can overlap.
 */
const REPEATING_CONCURRENCY = 2;

/**
 * Creates a scheduled function. A failed run is not retried, because the next run finds the same work in the tables. A
 * queue keeps the events of runs that failed or could not start. A single message in the queue is harmless. For
 * example, if the stage reserves concurrency (`reservesConcurrency`, only in prod), a run cannot start before the
 * previous run has ended, except with `repeats`.
 */
function scheduled(
  stack: Stack,
  deployment: Deployment,
  declared: BackgroundFunction,
  { everyMinutes, repeats, missedRuns }: Scheduled,
) {
  const handler = createLambdaFunction(stack, deployment, declared, {
    reservedConcurrency: repeats === undefined ? 1 : REPEATING_CONCURRENCY,
    skipsCanary: true,
    // With the default settings, Lambda would retry invocations for hours while the reserved concurrency is used up,
    // and the invocations would accumulate.
    asyncInvocation: { retries: 0, ageMax: Duration.minutes(1), deadLetters: missedRuns },
  });
  new Rule(stack, `${toPascalCase(declared.id)}Schedule`, {
    description: declared.summary,
    schedule: Schedule.rate(Duration.minutes(everyMinutes)),
    targets: [
      new LambdaTarget(handler, { retryAttempts: 0, maxEventAge: Duration.minutes(1), deadLetterQueue: missedRuns }),
    ],
  });
}

/**
 * Creates the function that a function with `repeats` runs repeatedly. The reserved concurrency limits the concurrent
 * requests to one receiver.
 */
const repeated = (stack: Stack, deployment: Deployment, declared: BackgroundFunction) =>
  createLambdaFunction(stack, deployment, declared, {
    reservedConcurrency: REPEATING_CONCURRENCY,
    skipsCanary: true,
    isTraced: false,
  });
