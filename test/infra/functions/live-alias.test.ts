import { describe, expect, test } from 'vitest';
import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
import { intervalMinutes } from '../../../functions/declare-background-function.ts';
import { toPascalCase } from '../../../infra/functions/lambda-function.ts';
import { deployed, deployedFunctions, type Synthesized, stackOf, synthesizedStage } from '../../support/stacks.ts';

const prod = synthesizedStage('prod');
const dev = synthesizedStage();

/** Operations of the stack `admin` are excluded. They get too few requests: a canary would not show errors. */
const gradualOperations = operations.filter(({ id }) => stackOf(id) === 'api');
const gradual = [
  ...gradualOperations,
  ...backgroundFunctions.filter((declared) => intervalMinutes(declared) === undefined),
];
const templateOf = ({ templates }: Synthesized, id: string) => templates[stackOf(id)];

function aliasOf(of: Synthesized, id: string) {
  const { lambda } = deployed(of, id);
  const aliases = Object.entries(templateOf(of, id).findResources('AWS::Lambda::Alias'));
  const [found] = aliases.filter(([, { Properties }]) => Properties.FunctionName.Ref === lambda.logicalId);
  const { Properties, UpdatePolicy } = found?.[1] ?? {};
  return { logicalId: found?.[0] ?? '', properties: Properties, updatePolicy: UpdatePolicy };
}

test.each(deployedFunctions)(
  '$id has an alias for its newest version, with the same logical id in dev and prod',
  ({ id }) => {
    const alias = aliasOf(prod, id);
    expect(alias.properties).toMatchObject({
      Name: 'live',
      FunctionVersion: { 'Fn::GetAtt': [expect.stringMatching(`^${toPascalCase(id)}CurrentVersion`), 'Version'] },
    });
    expect(aliasOf(dev, id).logicalId).toBe(alias.logicalId);
  },
);

test('callers of a function may invoke only its alias', () => {
  for (const { templates } of [prod, dev]) {
    for (const template of [templates.api, templates.admin, templates.streaming]) {
      const aliases = new Set(Object.keys(template.findResources('AWS::Lambda::Alias')));
      const called = [
        ...Object.values(template.findResources('AWS::Lambda::Permission')),
        ...Object.values(template.findResources('AWS::Lambda::EventSourceMapping')),
      ].map(({ Properties }) => Properties.FunctionName.Ref);
      expect(called).not.toEqual([]);
      expect(called.filter((one) => !aliases.has(one))).toEqual([]);
    }
  }
});

test('voice-webhook has the alias of analyse-call in its environment and in its policy', () => {
  const { stack, lambda, role } = deployed(prod, 'training/voice-webhook');
  const name = `${deployed(prod, 'background/analyse-call').lambda.properties.FunctionName}:live`;
  expect(stack.resolve(lambda.properties.Environment.Variables.ANALYSE_CALL_FUNCTION)).toBe(name);
  expect(JSON.stringify(role.properties.Policies)).toContain(`:function:${name}"`);
});

describe.each(gradual)('a new version of $id', ({ id }) => {
  const template = templateOf(prod, id);
  const alias = aliasOf(prod, id);
  const groupId: string = alias.updatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref;
  const group = template.findResources('AWS::CodeDeploy::DeploymentGroup')[groupId]?.Properties;
  const alarms = template.findResources('AWS::CloudWatch::Alarm');

  test('gets a tenth of the invocations for five minutes, and two alarms can roll it back', () => {
    expect(group).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AutoRollbackConfiguration: { Enabled: true },
      AlarmConfiguration: { Enabled: true },
    });
    expect(group?.AutoRollbackConfiguration.Events).toContain('DEPLOYMENT_STOP_ON_ALARM');
    const alarmsOfGroup = group?.AlarmConfiguration.Alarms.map(
      (one: { Name: { Ref: string } }) => alarms[one.Name.Ref],
    );
    expect(alarmsOfGroup).toHaveLength(2);
    for (const alarm of alarmsOfGroup) {
      // Missing data counts as healthy, because otherwise a deployment without traffic would not succeed.
      expect(alarm.Properties).toMatchObject({
        TreatMissingData: 'notBreaching',
        AlarmDescription: expect.any(String),
      });
    }
  });

  test('has an alarm that reports errors of its alias and responses with a server error', () => {
    const failing = JSON.stringify(
      Object.entries(alarms).find(([key]) => key.startsWith(`${toPascalCase(id)}Failing`)),
    );
    for (const name of ['Errors', 'Invocations', 'ServerErrors']) expect(failing).toContain(`"MetricName":"${name}"`);
    expect(failing).toContain(':live');
    expect(failing).toContain(`"Name":"function","Value":"${id}"`);
  });
});

test('functions that run at an interval or belong to the admin stack get no canary; in dev, no function gets one', () => {
  for (const { id } of deployedFunctions) expect(aliasOf(dev, id).updatePolicy).toBeUndefined();
  const seldom = backgroundFunctions.filter((declared) => intervalMinutes(declared) !== undefined);
  const administrative = operations.filter(({ id }) => stackOf(id) === 'admin');
  for (const { id } of [...seldom, ...administrative]) expect(aliasOf(prod, id).updatePolicy).toBeUndefined();
  for (const name of ['api', 'admin'] as const)
    expect(dev.templates[name].findResources('AWS::CodeDeploy::Application')).toEqual({});
});

test('old versions are kept in prod for a rollback; a version whose deployment failed is removed', () => {
  const { api, admin } = prod.templates;
  for (const version of [api, admin].flatMap((one) => Object.values(one.findResources('AWS::Lambda::Version')))) {
    expect(version).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  }
});

test('the deployment role may only read alarms, and read and update the aliases of its stack', () => {
  const roles = Object.entries(prod.templates.api.findResources('AWS::IAM::Role'));
  const [, role] = roles.find(([key]) => key.startsWith('DeployRole')) ?? [];
  const [update, read, ...others] = role?.Properties.Policies[0].PolicyDocument.Statement ?? [];
  expect(others).toEqual([]);
  expect(read).toEqual({ Effect: 'Allow', Action: 'cloudwatch:DescribeAlarms', Resource: '*' });
  expect(update.Action).toEqual(['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias']);
  expect(update.Resource).toHaveLength(2 * gradualOperations.length);
  expect(JSON.stringify(update.Resource)).not.toContain('*');
  expect(role?.Properties.ManagedPolicyArns).toBeUndefined();
});

test('in prod, operations reserve the concurrency that they declare; in dev, no operation reserves concurrency', () => {
  const reserved = (of: Synthesized) =>
    operations.flatMap(({ id }) => {
      const executions = deployed(of, id).lambda.properties.ReservedConcurrentExecutions;
      return executions === undefined ? [] : [[id, executions]];
    });
  expect(reserved(prod)).toEqual(
    operations.flatMap(({ id, limits }) =>
      limits.reservedConcurrency === undefined ? [] : [[id, limits.reservedConcurrency]],
    ),
  );
  expect(reserved(prod).map(([id]) => id)).toContain('funnel/ai-stream');
  expect(reserved(dev)).toEqual([]);
});

test.each(['data', 'streaming', 'lake', 'api', 'admin'] as const)(
  'the %s stack has fewer than 450 resources',
  (name) => {
    expect(Object.keys(prod.templates[name].toJSON().Resources).length).toBeLessThan(450);
  },
);
