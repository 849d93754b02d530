import { describe, expect, test } from 'vitest';
import { ensurePolicyFile, readPolicies } from '../../../infra/policies/policy-file.ts';
import { Template } from '../../../infra/policies/resolve-template.ts';
import { synthesizePolicies } from '../../../infra/policies/synthesize-policies.ts';
import { extractPolicies } from '../../../infra/policies/template-policies.ts';

/** Returns a reference to an environment variable, as policies contain it. */
const variable = (name: string) => `\${${name}}`;

type Resources = Record<string, { Type: string; Properties?: Record<string, unknown> }>;
type Given = { statements?: unknown[]; role?: object; variables?: object; resources?: Resources };

const templateOf = (stackName: string, resources: Resources, outputs: object = {}) =>
  Template.parse({ stackName, Resources: resources, Outputs: outputs });

/** Returns a stack with one function and the function's role. */
function aStack({ statements = [], role = {}, variables = {}, resources = {} }: Given = {}) {
  const document = { Version: '2012-10-17', Statement: statements };
  const roleProperties = { AssumeRolePolicyDocument: {}, Policies: [{ PolicyDocument: document }], ...role };
  const lambda = { Role: { 'Fn::GetAtt': ['RoleA', 'Arn'] }, Environment: { Variables: variables } };
  return templateOf('api', {
    RoleA: { Type: 'AWS::IAM::Role', Properties: roleProperties },
    FunctionA: { Type: 'AWS::Lambda::Function', Properties: lambda },
    ...resources,
  });
}

const policies = (...templates: Template[]) =>
  extractPolicies(templates, (logicalId) => (logicalId === 'FunctionA' ? 'a/function' : undefined));

const allowing = (Resource: unknown, more: object = {}) => ({ Effect: 'Allow', Action: 'a:b', Resource, ...more });
const resourcesOf = (...templates: Template[]) =>
  policies(...templates)['a/function']?.map(({ resources }) => resources);

describe('in a policy,', () => {
  const data = templateOf(
    'data',
    {
      Leads: { Type: 'AWS::DynamoDB::GlobalTable' },
      Files: { Type: 'AWS::S3::Bucket' },
      Key: { Type: 'AWS::SecretsManager::Secret' },
    },
    {
      TableArn: { Value: { 'Fn::GetAtt': ['Leads', 'Arn'] } },
      TableName: { Value: { Ref: 'Leads' } },
      FilesArn: { Value: { 'Fn::GetAtt': ['Files', 'Arn'] }, Export: { Name: 'data:FilesArn' } },
      KeyArn: { Value: { Ref: 'Key' } },
    },
  );
  const output = (OutputName: string) => ({ 'Fn::GetStackOutput': { StackName: 'data', OutputName } });

  test('if an environment variable contains the name of a resource, the ARN of the resource refers to the variable', () => {
    const statements = [
      allowing(output('TableArn')),
      allowing({ 'Fn::Join': ['', [output('TableArn'), '/index/due']] }),
    ];
    const variables = { LEADS_TABLE: output('TableName') };
    const arn = `arn:aws:dynamodb:eu-central-1:111122223333:table/${variable('LEADS_TABLE')}`;
    expect(resourcesOf(data, aStack({ statements, variables }))).toEqual([[arn], [`${arn}/index/due`]]);
  });

  test('if no environment variable contains the name of a resource, the ARN of the resource contains its logical id', () => {
    expect(resourcesOf(data, aStack({ statements: [allowing({ 'Fn::ImportValue': 'data:FilesArn' })] }))).toEqual([
      ['arn:aws:s3:::Files'],
    ]);
  });

  test('if an environment variable contains the ARN of a secret, the ARN of the secret refers to the variable', () => {
    const stack = aStack({ statements: [allowing(output('KeyArn'))], variables: { AI_SECRET_ID: output('KeyArn') } });
    const arn = `arn:aws:secretsmanager:eu-central-1:111122223333:secret:${variable('AI_SECRET_ID')}`;
    expect(resourcesOf(data, stack)).toEqual([[arn]]);
  });

  test('if an environment variable contains the name of a function, the ARN of the function refers to the variable', () => {
    const statements = [
      allowing({ 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':lambda:::function:tributary-dev-b']] }),
    ];
    const stack = aStack({ statements, variables: { ANALYSE_CALL_FUNCTION: 'tributary-dev-b' } });
    expect(resourcesOf(stack)).toEqual([[`arn:aws:lambda:::function:${variable('ANALYSE_CALL_FUNCTION')}`]]);
  });
});

test.each<[string, Given]>([
  ['a managed policy', { role: { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] } }],
  ['a separate policy', { resources: { More: { Type: 'AWS::IAM::Policy' } } }],
  ['a separate managed policy', { resources: { More: { Type: 'AWS::IAM::ManagedPolicy' } } }],
  ['NotAction', { statements: [{ Effect: 'Allow', NotAction: 'a:b', Resource: '*' }] }],
  ['an unknown condition', { statements: [allowing('*', { Condition: { Bool: { 'aws:SecureTransport': 'true' } } })] }],
  ['an unknown condition key', { statements: [allowing('*', { Condition: { StringLike: { 'aws:SourceIp': '*' } } })] }],
  ['an unknown intrinsic function', { statements: [allowing({ 'Fn::Sub': 'arn' })] }],
  ['an unknown resource', { statements: [allowing({ Ref: 'Missing' })] }],
])('a role with %s is rejected', (_, given) => {
  expect(() => policies(aStack(given))).toThrow();
});

test('each function has the same policy in dev as in prod; the tests enforce the policies of prod', async () => {
  expect(synthesizePolicies('dev')).toEqual(readPolicies(await ensurePolicyFile()));
});
