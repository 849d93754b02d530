import { describe, expect, test } from 'vitest';
import { backgroundFunctions } from '../../../functions/declarations.ts';
import { grantEnvironment } from '../../../infra/functions/grant-policies.ts';
import { grantPermissions } from '../../../infra/functions/grants.ts';
import { toPascalCase } from '../../../infra/functions/lambda-function.ts';
import { FACTS_PREFIX, factObjectKey } from '../../../shared/analytics/facts/fact-files.ts';
import { DEAD_LETTER_PREFIX } from '../../../shared/analytics/ingest/dead-letters.ts';
import { deployed, deployedFunctions, synthesizedStage } from '../../support/stacks.ts';

const synthesized = synthesizedStage('prod');
const { resources, templates } = synthesized;

type Statement = { Effect: string; Action: string | string[]; Resource: unknown };

const statementsOf = (id: string): Statement[] => {
  const { role } = deployed(synthesized, id);
  expect(role.properties.Policies).toHaveLength(1);
  return role.properties.Policies[0].PolicyDocument.Statement;
};
/** Returns the queues to which Lambda sends a function's failed events. Lambda does this with the function's role. */
const deadLettersOf = (id: string): unknown[] => {
  const declared = backgroundFunctions.find((one) => one.id === id);
  if (declared === undefined || 'stream' in declared.trigger || 'everySeconds' in declared.trigger) return [];
  const name = 'invoked' in declared.trigger ? `${toPascalCase(id)}DeadLetters` : 'MissedRuns';
  const queues = Object.keys(templates.streaming.findResources('AWS::SQS::Queue'));
  const own = queues.filter((logicalId) => logicalId.startsWith(name));
  return own.map((logicalId) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] }));
};
const list = (value: string | string[]) => [value].flat();

describe.each(deployedFunctions)('the function $id', ({ id, grants }) => {
  const { stack, logs, role, lambda } = deployed(synthesized, id);

  test('has only the permissions that its declaration grants, and permissions for logs, traces and dead letters', () => {
    const granted = [...grantPermissions(grants)].flatMap(([target, actions]) => {
      const arns = [resources[target].arn].flat();
      return arns.length === 0 ? [] : [[stack.resolve(arns.length === 1 ? arns[0] : arns), [...actions].sort()]];
    });
    const always = [
      [{ 'Fn::GetAtt': [logs.logicalId, 'Arn'] }, ['logs:CreateLogStream', 'logs:PutLogEvents']],
      ['*', ['xray:PutTelemetryRecords', 'xray:PutTraceSegments']],
    ];
    const deadLetters = deadLettersOf(id).map((arn) => [arn, ['sqs:SendMessage']]);
    expect(statementsOf(id).map(({ Resource, Action }) => [Resource, list(Action)])).toEqual([
      ...granted,
      ...deadLetters,
      ...always,
    ]);
    expect(statementsOf(id).every(({ Effect }) => Effect === 'Allow')).toBe(true);
  });

  test('has its own role, which only Lambda can assume', () => {
    expect(lambda.properties.Role).toEqual({ 'Fn::GetAtt': [role.logicalId, 'Arn'] });
    expect(role.properties.ManagedPolicyArns).toBeUndefined();
    expect(role.properties.AssumeRolePolicyDocument.Statement).toEqual([
      { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
    ]);
  });

  test('has environment variables with the names of the resources that its declaration grants, and of no others', () => {
    const { Variables: variables = {} } = lambda.properties.Environment ?? {};
    const named = Object.keys(variables).filter((name) => /_(TABLE|BUCKET|STREAM|SECRET_ID|FUNCTION)$/.test(name));
    const reached = grantEnvironment(grants, resources);
    expect(named.sort()).toEqual(Object.keys(reached).sort());
    for (const name of named) expect(variables[name]).toEqual(stack.resolve(reached[name]));
    expect(JSON.stringify(variables)).not.toContain('{{resolve:');
  });
});

test('each function has a role, CodeDeploy has two roles, Firehose has one role, and there are no other roles', () => {
  const { lake, ...others } = templates;
  const roles = Object.values(others).flatMap((template) => Object.keys(template.findResources('AWS::IAM::Role')));
  const moving = roles.filter((logicalId) => logicalId.startsWith('DeployRole'));
  expect(moving).toHaveLength(2);
  expect(roles).toHaveLength(deployedFunctions.length + moving.length);
  expect(Object.keys(lake.findResources('AWS::IAM::Role'))).toEqual([expect.stringMatching(/^DeliveryRole/)]);
  for (const template of Object.values(templates)) {
    const resources: { Type: string }[] = Object.values(template.toJSON().Resources);
    const types = new Set(resources.map(({ Type }) => Type).filter((type) => type.startsWith('AWS::IAM::')));
    expect([...types].filter((type) => type !== 'AWS::IAM::Role')).toEqual([]);
  }
});

test('no action contains a wildcard; a resource contains a wildcard only for keys of objects and for X-Ray', () => {
  const all = deployedFunctions.flatMap(({ id }) => statementsOf(id));
  const actions = all.flatMap(({ Action }) => list(Action));
  expect(actions.filter((action) => action.includes('*'))).toEqual([]);
  const wild = all.filter(({ Resource }) => JSON.stringify(Resource).includes('*'));
  // Keys of uploaded files begin with the organization's id, so their grants have no prefix.
  const { stack } = deployed(synthesized, 'funnel/upload');
  const uploads = JSON.stringify(stack.resolve(resources['bucket:files'].arn));
  const unexplained = wild.filter(
    ({ Resource, Action }) =>
      JSON.stringify(Resource) !== uploads &&
      !/"\/(facts|events|set-aside\/events|transcripts|recordings|incoming|assets)\/\*"/.test(
        JSON.stringify(Resource),
      ) &&
      !(Resource === '*' && list(Action).every((action) => action.startsWith('xray:Put'))),
  );
  expect(unexplained).toEqual([]);
});

/**
 * `aws-calls.test.ts` cannot check these grants. The event source mapping and the secrets extension
 * make calls that are in no bundle. The call `Query` is in every bundle with a DynamoDB client.
 */
test.each([
  ['lead-secret:read', 'secret:leads', ['secretsmanager:GetSecretValue']],
  [
    'events:consume',
    'stream:events',
    [
      'kinesis:DescribeStream',
      'kinesis:DescribeStreamSummary',
      'kinesis:GetRecords',
      'kinesis:GetShardIterator',
      'kinesis:ListShards',
    ],
  ],
  ['pending-items:list', 'index:analytics/waiting', ['dynamodb:Query']],
  ['facts:read', 'table:analytics', ['dynamodb:GetItem', 'dynamodb:Query']],
  ['facts:compact-base', 'table:analytics', ['dynamodb:GetItem', 'dynamodb:PutItem']],
  ['facts:sweep', 'table:analytics', ['dynamodb:GetItem', 'dynamodb:PutItem']],
  [
    'facts:compact',
    'table:analytics',
    ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
  ],
] as const)('%s allows exactly the expected actions on %s', (grant, target, actions) => {
  expect([...(grantPermissions([grant]).get(target) ?? [])].sort()).toEqual(actions);
});

test('grants for fact files and for dead letters are limited to the prefixes of their keys', () => {
  const { stack } = deployed(synthesized, 'background/compact-facts');
  const arn = (target: keyof typeof resources) => JSON.stringify(stack.resolve(resources[target].arn));
  expect(arn('bucket:facts')).toContain(`/${FACTS_PREFIX}*`);
  expect(arn('bucket:dead-letters')).toContain(`/${DEAD_LETTER_PREFIX}*`);
  expect(factObjectKey({ name: 'funnel/file' }).startsWith(FACTS_PREFIX)).toBe(true);
});

test('only sweep-facts may delete or list fact files, and sweep-facts may list only keys of fact files', () => {
  const taking = (action: string) =>
    deployedFunctions
      .map(({ id }) => id)
      .filter((id) => {
        const { stack } = deployed(synthesized, id);
        const facts = [resources['bucket:facts'], resources['names:facts']].map(({ arn }) => stack.resolve(arn));
        return statementsOf(id).some(
          ({ Resource, Action }) =>
            list(Action).includes(action) && facts.some((arn) => JSON.stringify(arn) === JSON.stringify(Resource)),
        );
      });
  for (const action of ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:ListBucket', 's3:ListBucketVersions'])
    expect(taking(action)).toEqual(['background/sweep-facts']);
  const listing = statementsOf('background/sweep-facts').find(({ Action }) => list(Action).includes('s3:ListBucket'));
  expect(listing).toMatchObject({ Condition: { StringLike: { 's3:prefix': [`${FACTS_PREFIX}*`] } } });
});

test('create-case may only get items of the directory, count requests, put a case, and write its logs and traces', () => {
  const { stack } = deployed(synthesized, 'training/create-case');
  const arn = (target: keyof typeof resources) => stack.resolve(resources[target].arn);
  expect(statementsOf('training/create-case')).toEqual(
    expect.arrayContaining([
      { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: arn('table:directory') },
      { Effect: 'Allow', Action: 'dynamodb:UpdateItem', Resource: arn('table:limits') },
      { Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: arn('table:training') },
    ]),
  );
  expect(statementsOf('training/create-case')).toHaveLength(5);
});

test('the permissions do not depend on the order of the grants', () => {
  const one = grantPermissions(['facts:read', 'facts:compact', 'members:read']);
  const other = grantPermissions(['members:read', 'facts:compact', 'facts:read']);
  expect([...one]).toEqual([...other]);
});
