import { homedir } from 'node:os';
import { type Check, type Found, list, resourcesOf } from '../template.ts';

/** Quotas of CloudFormation (AWS CloudFormation user guide, quotas). */
const RESOURCES_MAX = 500;
/**
 * From this size on, a stack must be divided before anything is added: dividing a full stack moves stateful resources.
 */
const RESOURCES_WARNED = 450;
const OUTPUTS_MAX = 200;
const TEMPLATE_BYTES_MAX = 1_000_000;

export const stacksAreWithinLimits: Check = ({ stacks }) =>
  stacks.flatMap(({ name, template }) => {
    const resources = Object.keys(template.Resources).length;
    const bytes = Buffer.byteLength(JSON.stringify(template));
    return [
      ...(resources >= RESOURCES_WARNED ? [`${name} has ${resources} resources of ${RESOURCES_MAX}: divide it`] : []),
      ...(Object.keys(template.Outputs ?? {}).length > OUTPUTS_MAX
        ? [`${name} has more than ${OUTPUTS_MAX} outputs`]
        : []),
      ...(bytes >= TEMPLATE_BYTES_MAX ? [`${name} is a template of ${bytes} bytes, over 1 MB`] : []),
      ...(/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(name) ? [] : [`${name} is no name for a stack`]),
      ...Object.keys(template.Resources)
        .filter((id) => !/^[A-Za-z0-9]{1,255}$/.test(id))
        .map((id) => `${name}: ${id} is no logical id`),
    ];
  });

type Text = { of: string; max: number; form?: RegExp };

/** Limits of length and characters of texts, from the reference of each service. */
const TEXTS: readonly Text[] = [
  { of: 'AWS::Lambda::Function.Description', max: 256 },
  { of: 'AWS::Lambda::Function.FunctionName', max: 64, form: /^[\w-]+$/ },
  { of: 'AWS::Lambda::Alias.Name', max: 128, form: /^(?!\d+$)[\w-]+$/ },
  { of: 'AWS::Lambda::LayerVersion.Description', max: 256 },
  { of: 'AWS::IAM::Role.Description', max: 1000, form: /^[\t\n\r\x20-\x7E\xA1-\xFF]*$/ },
  { of: 'AWS::IAM::Role.RoleName', max: 64, form: /^[\w+=,.@-]+$/ },
  { of: 'AWS::Events::Rule.Description', max: 512 },
  { of: 'AWS::Logs::LogGroup.LogGroupName', max: 512, form: /^[\w./#-]+$/ },
  { of: 'AWS::SQS::Queue.QueueName', max: 80, form: /^[\w-]+$/ },
  { of: 'AWS::SNS::Topic.TopicName', max: 256, form: /^[\w-]+$/ },
  { of: 'AWS::CloudWatch::Alarm.AlarmName', max: 255 },
  { of: 'AWS::CloudWatch::Alarm.AlarmDescription', max: 1024 },
  { of: 'AWS::CloudWatch::Dashboard.DashboardName', max: 255, form: /^[\w-]+$/ },
  { of: 'AWS::SecretsManager::Secret.Description', max: 2048 },
  { of: 'AWS::KMS::Key.Description', max: 8192 },
  { of: 'AWS::ApiGateway::RestApi.Name', max: 1024 },
  // Method names in the SDKs that API Gateway generates.
  { of: 'AWS::ApiGateway::Method.OperationName', max: 64, form: /^[A-Za-z0-9]+$/ },
  { of: 'AWS::Athena::NamedQuery.Name', max: 128 },
  { of: 'AWS::Athena::NamedQuery.Description', max: 1024 },
  { of: 'AWS::Athena::NamedQuery.QueryString', max: 262_144 },
  { of: 'AWS::Athena::WorkGroup.Name', max: 128, form: /^[\w.-]+$/ },
  { of: 'AWS::Athena::WorkGroup.Description', max: 1024 },
  { of: 'AWS::WAFv2::WebACL.Name', max: 128, form: /^[\w-]+$/ },
  { of: 'AWS::WAFv2::WebACL.Description', max: 256, form: /^[\w+=:#@/,.-][\w+=:#@/,.\s-]+[\w+=:#@/,.-]$/ },
  { of: 'AWS::Logs::QueryDefinition.Name', max: 255 },
  { of: 'AWS::Logs::QueryDefinition.QueryString', max: 10_000 },
];

export const textsAreWithinLimits: Check = (deployment) =>
  resourcesOf(deployment).flatMap(({ at, Type, Properties }) =>
    TEXTS.flatMap(({ of, max, form }) => {
      const property = of.slice(Type.length + 1);
      const text = of.startsWith(`${Type}.`) ? Properties[property] : undefined;
      if (typeof text !== 'string') return [];
      return [
        ...(text.length > max ? [`${at} has a ${property} of ${text.length} characters, over ${max}`] : []),
        ...(form?.test(text) === false ? [`${at} has a ${property} with characters that AWS refuses`] : []),
      ];
    }),
  );

/** All inline policies of a role together, without spaces. References count with the length of an ARN. */
const INLINE_POLICY_MAX = 10_240;
const ARN_LENGTH = 90;
/** All variables of a function together. */
const ENVIRONMENT_BYTES_MAX = 4096;
/** Reserved variables of Lambda, which templates cannot set (a few exceptions are not used here). */
const OWN_VARIABLE = /^(?!AWS_|_)[A-Za-z]\w+$/;
/** Typical longest values. */
const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws-us-gov',
  'AWS::Region': 'ap-northeast-1',
  'AWS::AccountId': '000000000000',
  'AWS::URLSuffix': 'amazonaws.com.cn',
};

/** An approximation of the value after deployment. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const [[name = '', argument] = [], ...others] = Object.entries(value);
  if (others.length === 0 && name === 'Fn::Join')
    return list(resolved(list(argument)[1])).join(String(list(argument)[0]));
  if (others.length === 0 && (name === 'Ref' || name.startsWith('Fn::')))
    return PSEUDO[String(argument)] ?? 'x'.repeat(ARN_LENGTH);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one)]));
}

const lengthOf = (value: unknown): number => JSON.stringify(resolved(value) ?? {}).length;

export const policiesAndEnvironmentsAreWithinLimits: Check = (deployment) => {
  const over = (found: readonly Found[], what: string, max: number, of: (one: Found) => unknown) =>
    found.filter((one) => lengthOf(of(one)) > max).map((one) => `${one.at} has ${what} over ${max} characters`);
  return [
    ...over(resourcesOf(deployment, 'AWS::IAM::Role'), 'policies', INLINE_POLICY_MAX, ({ Properties }) =>
      list(Properties.Policies).map((policy) => (policy as { PolicyDocument: unknown }).PolicyDocument),
    ),
    ...over(
      resourcesOf(deployment, 'AWS::Lambda::Function'),
      'variables',
      ENVIRONMENT_BYTES_MAX,
      ({ Properties }) => Properties.Environment?.Variables,
    ),
    ...resourcesOf(deployment, 'AWS::Lambda::Function').flatMap(({ at, Properties }) =>
      Object.keys(Properties.Environment?.Variables ?? {})
        .filter((name) => !OWN_VARIABLE.test(name))
        .map((name) => `${at} sets ${name}, which Lambda keeps for itself or does not take`),
    ),
  ];
};

const SECRETS: readonly [RegExp, string][] = [
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/, 'the key of an account'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY/, 'a private key'],
  [/\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\./, 'a token'],
  [/"SecretString":/, 'the value of a secret'],
  [/\{\{resolve:/, 'a secret that CloudFormation would write out'],
  [/\b(?:sk|xi)-[A-Za-z0-9]{20,}/, 'a key of a provider'],
];

/**
 * An identifier of an account, of this machine or of a person may appear in a template only if an operator has set it.
 */
export const nothingSecretIsWritten: Check = ({ stacks, settings }) => {
  const set = Object.values(settings).join(' ');
  return stacks.flatMap(({ name, template }) => {
    // Mappings contain the accounts in which AWS publishes its own layers.
    const { Mappings: _, ...own } = template;
    // A number is not an account.
    const text = JSON.stringify(own).replace(/":\d+(?=[,}\]])/g, '":0');
    const accounts = [...text.matchAll(/(?<![0-9A-Za-z.])\d{12}(?![0-9A-Za-z])/g)].map(([account]) => account);
    return [
      ...SECRETS.filter(([form]) => form.test(text)).map(([, what]) => `${name} holds ${what}`),
      ...[...new Set(accounts)]
        .filter((account) => !set.includes(account))
        .map((account) => `${name} names the account ${account}`),
      ...[process.cwd(), homedir()]
        .filter((path) => path.length > 1 && text.includes(`${path}/`))
        .map(() => `${name} names a folder of this machine`),
    ];
  });
};
