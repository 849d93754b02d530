import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backgroundFunctions } from '../../../../functions/declarations.ts';
import { intervalMinutes } from '../../../../functions/declare-background-function.ts';
import { functionName } from '../../../../infra/names.ts';
import { CUSTOM_METRICS } from '../../../../infra/stacks/observability/custom-metrics.ts';
import { logGroupNames } from '../../../../infra/stacks/observability/saved-queries.ts';
import { deployed, deployedFunctions, synthesize, synthesizedStage } from '../../../support/stacks.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const prod = synthesize({
  stage: 'prod',
  alarmMail: 'ops@example.com',
  smsSender: 'phone-number/phone-demo',
  monthlySmsUsd: '100',
});
const dev = synthesizedStage();
type Properties = { readonly [name: string]: unknown };

const all = (of: typeof prod, type: string): Properties[] =>
  Object.values(of.templates).flatMap((template) =>
    Object.values(template.findResources(type)).map(({ Properties }) => Properties),
  );
const alarms = all(prod, 'AWS::CloudWatch::Alarm');
const runbook = readFileSync(join(ROOT, 'docs', 'runbook.md'), 'utf8');
const paragraphs = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')).toLowerCase().replaceAll(' ', '-'), part]),
);
const anchorOf = ({ AlarmDescription }: Properties) =>
  /\ndocs\/runbook\.md#([a-z0-9-]+)$/.exec(String(AlarmDescription))?.[1];

test('every alarm has a section in the runbook, and every section has an alarm', () => {
  expect(alarms.length).toBeGreaterThan(40);
  const named = new Set(alarms.map(anchorOf));
  expect([...named].sort()).toEqual([...paragraphs.keys()].sort());
});

test.each([...paragraphs])('the runbook section %s explains meaning, diagnosis, action and recovery', (_, part) => {
  for (const question of ['**Users:**', '**Look:**', '**Do:**', '**Over:**']) expect(part).toContain(question);
  expect(part).toMatch(/```|`npm run|`aws /);
});

test('every alarm notifies the topic when it is raised and when it is over', () => {
  const actions = JSON.stringify(alarms.map(({ AlarmActions, OKActions }) => [AlarmActions, OKActions]));
  for (const { AlarmActions, OKActions } of alarms) {
    expect(JSON.stringify(AlarmActions)).toContain(':tributary-prod-alarms');
    expect(OKActions).toEqual(AlarmActions);
  }
  expect(actions).not.toContain('ImportValue');
});

test('the topic is encrypted with a key that CloudWatch may use, requires TLS, and notifies alarmMail', () => {
  const [topic] = all(prod, 'AWS::SNS::Topic');
  expect(topic).toMatchObject({ TopicName: 'tributary-prod-alarms', KmsMasterKeyId: expect.anything() });
  const [key] = all(prod, 'AWS::KMS::Key');
  expect(JSON.stringify(key?.KeyPolicy)).toMatch(/GenerateDataKey.*cloudwatch\.amazonaws\.com/);
  expect(JSON.stringify(all(prod, 'AWS::SNS::TopicPolicy'))).toContain('"aws:SecureTransport":"false"');
  expect(all(prod, 'AWS::SNS::Subscription')).toEqual([
    expect.objectContaining({ Protocol: 'email', Endpoint: 'ops@example.com' }),
  ]);
});

test('dev without alarmMail has dashboards and saved queries, but no alarms and no topic', () => {
  expect(all(dev, 'AWS::CloudWatch::Dashboard')).toHaveLength(4);
  expect(all(dev, 'AWS::Logs::QueryDefinition').length).toBeGreaterThan(0);
  for (const type of ['AWS::CloudWatch::Alarm', 'AWS::SNS::Topic', 'AWS::KMS::Key']) expect(all(dev, type)).toEqual([]);
});

test('each function writes to the log group of its name, and the saved queries read these log groups', () => {
  const groups = deployedFunctions.map(({ id }) => {
    const { lambda, logs } = deployed(prod, id);
    expect(logs.properties.LogGroupName).toBe(`/aws/lambda/${lambda.properties.FunctionName}`);
    expect(lambda.properties.FunctionName.length).toBeLessThanOrEqual(64);
    expect(lambda.properties.Environment.Variables.POWERTOOLS_SERVICE_NAME).toBe('tributary-prod');
    return logs.properties.LogGroupName;
  });
  const read = logGroupNames({ name: 'prod', accessLogs: true });
  expect(read).toEqual(expect.arrayContaining(groups));
  expect(read.length).toBeLessThanOrEqual(50);
  const made = all(prod, 'AWS::Logs::LogGroup').map(({ LogGroupName }) => LogGroupName);
  expect(made).toEqual(expect.arrayContaining(read));
  for (const { LogGroupNames } of all(prod, 'AWS::Logs::QueryDefinition')) expect(LogGroupNames).toEqual(read);
});

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));

/** Metrics whose names the code passes to `recordMetric` in a variable. The key is the variable. */
const NAMED_ELSEWHERE: Record<string, readonly string[]> = {
  'event.metric': ['VoiceAudioEvents', 'VoiceEventsOfUnknownType', 'VoiceConversationsInProgress'],
  droppedMetadataMetric: ['SubmitDropped_'],
};

/** Returns the names of the metrics that the code records. A name that ends with `_` is a prefix. */
function countedInCode(): string[] {
  const code = ['shared', 'functions'].flatMap(sources).join('\n');
  return [...code.matchAll(/\blog\.recordMetric\(([^),]*)/g)].flatMap(([, first = '']) => {
    const value = NAMED_ELSEWHERE[/^\s*([\w.]+)/.exec(first)?.[1] ?? ''];
    const names = value ?? [...first.matchAll(/['`](\w+)/g)].map(([, name = '']) => name);
    if (names.length === 0) throw new Error(`No metric name found in recordMetric(${first}).`);
    return names;
  });
}

test('dashboards show exactly the custom metrics that the code records; alarms use no other custom metrics', () => {
  const shown: string[] = Object.values(CUSTOM_METRICS).flatMap((widgets) =>
    widgets.flatMap(({ names }) => [...names]),
  );
  const counted = countedInCode();
  expect(counted).toEqual(expect.arrayContaining(['DeadLettersStored', 'Calls_', 'CodesSent_', 'RecordingsTooLarge']));
  expect(
    counted.filter((name) => !shown.some((one) => (name.endsWith('_') ? one.startsWith(name) : one === name))),
  ).toEqual([]);
  expect(
    shown.filter((one) => !counted.some((name) => one === name || (name.endsWith('_') && one.startsWith(name)))),
  ).toEqual([]);
  expect(new Set(shown).size).toBe(shown.length);
  const bodies = JSON.stringify(all(prod, 'AWS::CloudWatch::Dashboard'));
  expect(shown.filter((name) => !bodies.includes(`\\"${name}\\"`))).toEqual([]);
  const watched = alarms.flatMap(({ Namespace, MetricName }) =>
    Namespace === 'Tributary' ? [String(MetricName)] : [],
  );
  expect(watched.length).toBeGreaterThan(8);
  expect(watched.filter((name) => !shown.includes(name))).toEqual([]);
});

test('scheduled functions have an alarm on missing runs, but no alarm on throttling', () => {
  const text = alarms.map((alarm) => JSON.stringify(alarm));
  const throttles = text.filter((alarm) => alarm.includes('"Throttles"')).join();
  expect(throttles).toContain('tributary-prod-funnel-submit');
  expect(throttles).toContain('tributary-prod-background-aggregate-events');
  expect(throttles).not.toMatch(/tributary-prod-background-(sweep|compact|enforce|erase)/);
  const notRunning = alarms.filter((alarm) => anchorOf(alarm) === 'scheduled-functions-do-not-run');
  expect(notRunning).toHaveLength(12);
  for (const alarm of notRunning)
    expect(alarm).toMatchObject({
      MetricName: 'Invocations',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
    });
});

test('if an alarm on failed runs needs several periods, at least one run starts in each period', () => {
  const failures = alarms.filter((alarm) => anchorOf(alarm) === 'scheduled-functions-fail');
  expect(failures).toHaveLength(12);
  for (const declared of backgroundFunctions) {
    const { id, limits } = declared;
    const everyMinutes = intervalMinutes(declared);
    if (everyMinutes === undefined) continue;
    const alarm = failures.find((one) => JSON.stringify(one).includes(functionName({ name: 'prod' }, id)));
    const { Period, DatapointsToAlarm } = alarm as { Period: number; DatapointsToAlarm: number };
    // If no run starts in a period, Lambda records no error in it, and the alarm would end although runs fail.
    if (DatapointsToAlarm > 1) expect(Period).toBeGreaterThanOrEqual(60 * everyMinutes + limits.timeoutSeconds);
  }
});

test('an alarm evaluates at most ten metrics, and at most a day (a week if its period is an hour or more)', () => {
  for (const { Period, EvaluationPeriods, Metrics } of alarms as {
    Period?: number;
    EvaluationPeriods: number;
    Metrics?: unknown[];
  }[]) {
    const seconds = Period ?? 300;
    expect(seconds * EvaluationPeriods).toBeLessThanOrEqual(seconds >= 3_600 ? 604_800 : 86_400);
    expect((Metrics ?? []).length).toBeLessThanOrEqual(11);
  }
});

test('the stack references no resources of other stacks except tables and the event stream, and uses no exports', () => {
  const template = JSON.stringify(prod.templates.observability.toJSON());
  const references = template.match(/"OutputName":"[^"]+"/g) ?? [];
  expect(references.length).toBeGreaterThan(0);
  expect(
    references.filter(
      (one) =>
        !/Ref(?:Directory|Leads|Training|Analytics|UploadRecords|Limits|Webhooks|Deliveries|Events|Notifications)/.test(
          one,
        ),
    ),
  ).toEqual([]);
  expect(template).not.toMatch(/Fn::ImportValue|"Export"/);
});
