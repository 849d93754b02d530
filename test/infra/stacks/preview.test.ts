import { describe, expect, test } from 'vitest';
import { STACKS, stackName } from '../../../infra/names.ts';
import { parseStage } from '../../../infra/settings/stages.ts';
import { type Synthesized, synthesize, synthesizedStage } from '../../support/stacks.ts';
import { PREVIEW } from './templates/deployments.ts';

const MAIL = { alarmMail: 'ops@example.com', monthlyBudgetUsd: '50' };
const dev = synthesize(MAIL);
const preview = synthesize({ ...MAIL, stage: PREVIEW });

type Resource = { id: string; Type: string; DeletionPolicy?: string; Properties: Record<string, unknown> };

const resourcesOf = ({ assembly }: Synthesized): Resource[] =>
  assembly.stacks.flatMap(({ template }) =>
    Object.entries<Omit<Resource, 'id'>>(template.Resources).map(([id, one]) => ({
      ...one,
      id,
      Properties: one.Properties ?? {},
    })),
  );
const ofType = (stage: Synthesized, type: string) => resourcesOf(stage).filter(({ Type }) => Type === type);

describe('for a preview whose name has 16 characters,', () => {
  test('the name is accepted, and a longer name is rejected', () => {
    expect(() => parseStage((name) => (name === 'stage' ? PREVIEW : undefined))).not.toThrow();
    expect(() => parseStage((name) => (name === 'stage' ? `${PREVIEW}x` : undefined))).toThrow('2 to 16 characters');
  });

  /** Maximum length and allowed characters of each name, from the API reference of each service. */
  test.each<[type: string, property: string, max: number, form: RegExp]>([
    ['AWS::Lambda::Function', 'FunctionName', 64, /^[\w-]+$/],
    ['AWS::SQS::Queue', 'QueueName', 80, /^[\w-]+$/],
    ['AWS::KinesisFirehose::DeliveryStream', 'DeliveryStreamName', 64, /^[\w.-]+$/],
    ['AWS::Logs::LogGroup', 'LogGroupName', 512, /^[\w.\-/#]+$/],
    ['AWS::WAFv2::WebACL', 'Name', 128, /^[\w-]+$/],
    ['AWS::Athena::WorkGroup', 'Name', 128, /^[\w.-]+$/],
    ['AWS::ApiGateway::Stage', 'StageName', 128, /^[\w-]+$/],
    ['AWS::Logs::QueryDefinition', 'Name', 255, /^[^:*\\]+$/],
  ])('AWS accepts the names of all resources: %s.%s', (type, property, max, form) => {
    const names = ofType(preview, type).flatMap(({ Properties }) => {
      const name = Properties[property];
      return typeof name === 'string' ? [name] : [];
    });
    expect(names).not.toEqual([]);
    expect(names.filter((name) => name.length > max || !form.test(name))).toEqual([]);
    expect(names.filter((name) => !name.includes(PREVIEW))).toEqual([]);
  });

  test('CloudFormation accepts the names of the stacks', () => {
    const names = preview.assembly.stacks.map((stack) => stack.stackName);
    expect(names.toSorted()).toEqual(STACKS.map((part) => stackName({ name: PREVIEW }, part)).toSorted());
    expect(names.filter((name) => !/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(name))).toEqual([]);
  });

  test('roles, buckets, tables, streams and secrets have no name in the templates, so CloudFormation generates valid names', () => {
    const generated = [
      ['AWS::IAM::Role', 'RoleName'],
      ['AWS::S3::Bucket', 'BucketName'],
      ['AWS::DynamoDB::GlobalTable', 'TableName'],
      ['AWS::Kinesis::Stream', 'Name'],
      ['AWS::SecretsManager::Secret', 'Name'],
    ] as const;
    for (const [type, property] of generated) {
      expect(ofType(preview, type)).not.toEqual([]);
      expect(ofType(preview, type).filter(({ Properties }) => property in Properties)).toEqual([]);
    }
  });

  test('the name of the lake database needs no quotation marks in Athena', () => {
    const [database] = ofType(preview, 'AWS::Glue::Database');
    expect(database?.Properties.DatabaseInput).toMatchObject({ Name: 'tributary_pr_16_characters' });
  });
});

/** Types of resources whose logical ids differ between stages: the ids contain a hash or the name of the stage. */
const WITH_OTHER_IDS = [
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::Stage',
  'AWS::Lambda::Version',
  'AWS::Lambda::Permission',
];

test('a preview has the resources of dev, including the budget, but no dashboards, no alarms and no alarm topics', () => {
  const [inDev, inPreview] = [dev, preview].map((stage) =>
    resourcesOf(stage)
      .map(({ id, Type }) => ({ id, Type }))
      .filter(({ Type }) => !WITH_OTHER_IDS.includes(Type)),
  );
  const idsOf = (all: typeof inDev = []) => new Set(all.map(({ id }) => id));
  expect(inPreview?.filter(({ id }) => !idsOf(inDev).has(id))).toEqual([]);
  const missing = (inDev ?? []).filter(({ id }) => !idsOf(inPreview).has(id));
  expect([...new Set(missing.map(({ Type }) => Type))].toSorted()).toEqual([
    'AWS::CloudWatch::Alarm',
    'AWS::CloudWatch::Dashboard',
    'AWS::KMS::Key',
    'AWS::SNS::Subscription',
    'AWS::SNS::Topic',
    'AWS::SNS::TopicPolicy',
  ]);
  expect(ofType(preview, 'AWS::Budgets::Budget')).toHaveLength(1);
});

test('the functions of a preview record no custom metrics, and the functions of dev record them', () => {
  const disabled = (stage: Synthesized) =>
    ofType(stage, 'AWS::Lambda::Function').map(({ Properties }) =>
      JSON.stringify(Properties.Environment).includes('"POWERTOOLS_METRICS_DISABLED":"true"'),
    );
  expect(new Set(disabled(preview))).toEqual(new Set([true]));
  expect(new Set(disabled(dev))).toEqual(new Set([false]));
});

test('the stream of a preview keeps records for a day, and its default number of shards is one', () => {
  const streamOf = (stage: Synthesized) => ofType(stage, 'AWS::Kinesis::Stream')[0]?.Properties;
  const oneDay = { RetentionPeriodHours: 24, StreamModeDetails: { StreamMode: 'PROVISIONED' } };
  expect(streamOf(preview)).toMatchObject({ ...oneDay, ShardCount: 1 });
  expect(streamOf(synthesize({ stage: 'pr-1', eventShards: '3' }))).toMatchObject({ ...oneDay, ShardCount: 3 });
  expect(streamOf(dev)).toMatchObject({
    RetentionPeriodHours: 168,
    StreamModeDetails: { StreamMode: 'ON_DEMAND' },
  });
});

test('no resource of a preview is retained, and no stack of a preview has termination protection', () => {
  expect(resourcesOf(preview).filter(({ DeletionPolicy }) => /^Retain|^Snapshot/.test(DeletionPolicy ?? ''))).toEqual(
    [],
  );
  expect(preview.assembly.stacks.filter(({ terminationProtection }) => terminationProtection)).toEqual([]);
});

describe('the tags of the stacks', () => {
  test('of a preview are its name and its expiry', () => {
    const { assembly } = synthesize({ stage: 'pr-1', expires: '3d' });
    const inThreeDaysMs = Date.now() + 3 * 86_400_000;
    for (const { tags } of assembly.stacks) {
      expect(tags).toEqual({ preview: 'pr-1', expires: expect.stringMatching(/^[\dT:.-]{23}Z$/) });
      expect(Math.abs(Date.parse(tags.expires ?? '') - inThreeDaysMs)).toBeLessThan(60_000);
    }
  });

  test.each(['dev', 'prod'])('of %s are empty', (stage) => {
    expect(synthesizedStage(stage).assembly.stacks.map(({ tags }) => tags)).toEqual(STACKS.map(() => ({})));
  });
});
