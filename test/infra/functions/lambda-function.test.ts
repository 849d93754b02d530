import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { backgroundFunctions } from '../../../functions/declarations.ts';
import { LAYER_MISSING } from '../../../infra/functions/duckdb-layer.ts';
import { toPascalCase } from '../../../infra/functions/lambda-function.ts';
import { deployed, deployedFunctions, synthesize, synthesizedStage } from '../../support/stacks.ts';

const prod = synthesizedStage('prod');
const dev = synthesize({}, { layer: false });

/** Returns the logical id of a function's alias. */
const live = (template: typeof prod.templates.api, logicalId: string): string | undefined =>
  Object.entries(template.findResources('AWS::Lambda::Alias')).find(
    ([, { Properties }]) => Properties.FunctionName.Ref === logicalId,
  )?.[0];

/** Functions that another function runs every few seconds. */
const REPEATED = new Set(
  backgroundFunctions.filter(({ trigger }) => 'everySeconds' in trigger).map((declared) => declared.id),
);

describe.each(deployedFunctions)('the function $id', ({ id, limits, grants, duckdb }) => {
  const { lambda, logs } = deployed(prod, id);

  test('has the declared limits and runs on Node 24 and arm64; functions that run every few seconds start no traces', () => {
    expect(lambda.properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: limits.memoryMb,
      Timeout: limits.timeoutSeconds,
      TracingConfig: { Mode: REPEATED.has(id) ? 'PassThrough' : 'Active' },
    });
  });

  test('writes to its own log group with a retention period', () => {
    expect(lambda.properties.LoggingConfig).toEqual({ LogGroup: { Ref: logs.logicalId } });
    expect(logs.properties.RetentionInDays).toBe(90);
    expect(deployed(dev, id).logs.properties.RetentionInDays).toBe(7);
  });

  test('deploys its bundle and no other file of the folder', () => {
    const hash = lambda.properties.Code.S3Key.replace('.zip', '');
    expect(readdirSync(join(prod.assembly.directory, `asset.${hash}`))).toEqual(['index.mjs']);
  });

  test('has the layers of DuckDB and of the secrets extension only if its declaration requires them', () => {
    const layers = JSON.stringify(lambda.properties.Layers ?? []);
    expect(layers.includes('DuckDb')).toBe(duckdb === true);
    expect(layers.includes('Paramsandsecrets')).toBe(grants.some((grant) => grant.endsWith('-secret:read')));
  });

  test('reserves no concurrency in dev, where a new account has a low quota', () => {
    expect(deployed(dev, id).lambda.properties.ReservedConcurrentExecutions).toBeUndefined();
  });
});

test('the threshold of the alarm for slow invocations is 50 % of the timeout, or 90 % if the response is streamed', () => {
  const alarms = prod.templates.api.findResources('AWS::CloudWatch::Alarm');
  const thresholds = ['FunnelAiStreamSlow', 'FunnelSubmitSlow'].map(
    (start) => Object.entries(alarms).find(([id]) => id.startsWith(start))?.[1].Properties.Threshold,
  );
  expect(thresholds).toEqual([0.9 * 75_000, 0.5 * 10_000]);
});

describe('the stream', () => {
  test('scales on demand and keeps records for seven days', () => {
    const [stream] = Object.values(prod.templates.streaming.findResources('AWS::Kinesis::Stream'));
    expect(stream).toMatchObject({
      Properties: { StreamModeDetails: { StreamMode: 'ON_DEMAND' }, RetentionPeriodHours: 168 },
    });
  });

  const consumers = backgroundFunctions.flatMap(({ id, trigger }) => ('stream' in trigger ? [{ id, trigger }] : []));

  test.each(consumers)(
    'sends records to $id immediately, and retries a record until it succeeds or expires',
    ({ id, trigger }) => {
      const sources = prod.templates.streaming.findResources('AWS::Lambda::EventSourceMapping');
      const source = sources[`${toPascalCase(id)}Source`]?.Properties;
      expect(source).toMatchObject({
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: trigger.batchRecords,
        ParallelizationFactor: trigger.parallelBatchesPerShard,
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        MaximumRetryAttempts: -1,
        MaximumRecordAgeInSeconds: -1,
      });
      expect(source.MaximumBatchingWindowInSeconds).toBeUndefined();
    },
  );

  test.each(consumers)(
    'sends $id one batch per shard at a time in dev, where the quota may be 10 executions',
    ({ id }) => {
      const sources = dev.templates.streaming.findResources('AWS::Lambda::EventSourceMapping');
      expect(sources[`${toPascalCase(id)}Source`]?.Properties).toMatchObject({ ParallelizationFactor: 1 });
    },
  );

  test('has at least one function as a consumer', () => expect(consumers).not.toEqual([]));
});

test('no table has a stream, because a stream keeps personal data for a day after its erasure', () => {
  const tables = Object.values(prod.templates.data.findResources('AWS::DynamoDB::GlobalTable'));
  expect(tables.length).toBeGreaterThan(0);
  for (const { Properties } of tables) expect(Properties.StreamSpecification).toBeUndefined();
});

test.each([...REPEATED])(
  '%s is started by another function, not by a schedule, and has at most two concurrent runs in prod',
  (id) => {
    const repeating = backgroundFunctions.filter(({ trigger }) => 'repeats' in trigger && trigger.repeats === id);
    expect(repeating).toMatchObject([{ trigger: { everyMinutes: 1 } }]);
    const { lambda } = deployed(prod, id);
    expect(lambda.properties.ReservedConcurrentExecutions).toBe(2);
    // The repeating function waits for the last run that it has started, so it needs the longer timeout.
    expect(repeating[0]?.limits.timeoutSeconds).toBeGreaterThan(lambda.properties.Timeout);
    const rules = JSON.stringify(prod.templates.streaming.findResources('AWS::Events::Rule'));
    expect(rules).not.toContain(live(prod.templates.streaming, lambda.logicalId));
  },
);

describe('a schedule', () => {
  const EXPRESSIONS: Record<number, string> = { 1: 'rate(1 minute)', 60: 'rate(1 hour)', 1440: 'rate(1 day)' };
  const scheduled = backgroundFunctions.flatMap(({ id, trigger }) =>
    'everyMinutes' in trigger ? [{ id, minutes: trigger.everyMinutes, concurrency: 'repeats' in trigger ? 2 : 1 }] : [],
  );

  test.each(scheduled)(
    'runs $id every $minutes min without retries, and with limited concurrency in prod',
    ({ id, minutes, concurrency }) => {
      const { lambda } = deployed(prod, id);
      prod.templates.streaming.hasResourceProperties('AWS::Events::Rule', {
        ScheduleExpression: EXPRESSIONS[minutes] ?? `rate(${minutes} minutes)`,
        State: 'ENABLED',
        Targets: [
          {
            Arn: { Ref: live(prod.templates.streaming, lambda.logicalId) },
            RetryPolicy: { MaximumRetryAttempts: 0 },
            DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^MissedRuns'), 'Arn'] } },
          },
        ],
      });
      expect(lambda.properties.ReservedConcurrentExecutions).toBe(concurrency);
      prod.templates.streaming.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
        FunctionName: { Ref: lambda.logicalId },
        MaximumRetryAttempts: 0,
        DestinationConfig: {
          OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('^MissedRuns'), 'Arn'] } },
        },
      });
    },
  );

  test('exists for at least one function', () => expect(scheduled).not.toEqual([]));
});

test.each(backgroundFunctions.filter(({ trigger }) => 'invoked' in trigger))(
  'if all attempts of $id to process an event fail, Lambda sends the event to a queue of this function',
  ({ id }) => {
    const queue = Match.stringLikeRegexp(`^${toPascalCase(id)}DeadLetters`);
    prod.templates.streaming.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: deployed(prod, id).lambda.logicalId },
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [queue, 'Arn'] } } },
    });
  },
);

describe('the template', () => {
  const names = ['data', 'streaming', 'api'] as const;

  test.each(names)('of the %s stack rejects a deployment without the DuckDB layer, with advice', (name) => {
    const rule = dev.templates[name].toJSON().Rules.DuckDbLayerBuilt;
    expect(rule).toEqual({
      Assertions: [{ Assert: { 'Fn::Equals': ['missing', 'built'] }, AssertDescription: LAYER_MISSING }],
    });
    expect(LAYER_MISSING).toContain('npm run layer');
  });

  test.each(names)('of the %s stack accepts a deployment with the DuckDB layer', (name) => {
    expect(prod.templates[name].toJSON().Rules?.DuckDbLayerBuilt).toBeUndefined();
  });
});
