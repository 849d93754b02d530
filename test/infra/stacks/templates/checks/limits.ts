import { homedir } from 'node:os';
import { Template } from 'aws-cdk-lib/assertions';
import { physicalName } from '../names.ts';
import { type Check, type Found, list, resourcesOf } from '../template.ts';

type Text = { of: string; max: number; form?: RegExp };

/** Limits of texts, from the reference of each service. CDK's validation does not check these limits. */
const TEXTS: readonly Text[] = [
  { of: 'AWS::SQS::Queue.QueueName', max: 80, form: /^[\w-]+$/ },
  { of: 'AWS::CloudWatch::Dashboard.DashboardName', max: 255, form: /^[\w-]+$/ },
  { of: 'AWS::ApiGateway::RestApi.Name', max: 1024 },
  // The SDKs that API Gateway generates use this property as the name of a method.
  { of: 'AWS::ApiGateway::Method.OperationName', max: 64, form: /^[A-Za-z0-9]+$/ },
  { of: 'AWS::Athena::WorkGroup.Name', max: 128, form: /^[\w.-]+$/ },
  { of: 'AWS::WAFv2::WebACL.Description', max: 256, form: /^[\w+=:#@/,.-][\w+=:#@/,.\s-]+[\w+=:#@/,.-]$/ },
];

export const checkTexts: Check = (deployment) =>
  resourcesOf(deployment).flatMap(({ at, Type, Properties }) =>
    TEXTS.flatMap(({ of, max, form }) => {
      const property = of.slice(Type.length + 1);
      const text = of.startsWith(`${Type}.`) ? Properties[property] : undefined;
      if (typeof text !== 'string') return [];
      return [
        ...(text.length > max ? [`${at} has a ${property} of ${text.length} characters, over ${max}`] : []),
        ...(form?.test(text) === false ? [`${at} has a ${property} with characters that AWS rejects`] : []),
      ];
    }),
  );

/** Maximum characters of all inline policies of a role together, without spaces. */
const INLINE_POLICY_MAX = 10_240;
/** Assumed length of a reference after deployment. */
const ARN_LENGTH = 90;
/** Maximum size of all environment variables of a function together. */
const ENVIRONMENT_BYTES_MAX = 4096;
/** Maximum statements in the policy of a queue (Amazon SQS developer guide, quotas of policies). */
const QUEUE_STATEMENTS_MAX = 20;
/**
 * Allowed names of environment variables. Lambda reserves most names that begin with `AWS_` or `_`. The pattern rejects
 * all of them.
 */
const ALLOWED_VARIABLE = /^(?!AWS_|_)[A-Za-z]\w+$/;
/** A long value for each pseudo parameter. */
const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws-us-gov',
  'AWS::Region': 'ap-northeast-1',
  'AWS::AccountId': '000000000000',
  'AWS::URLSuffix': 'amazonaws.com.cn',
};

/** Replaces references by text. The result is about as long as the value after deployment. */
function resolve(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolve);
  if (typeof value !== 'object' || value === null) return value;
  const [[name = '', argument] = [], ...others] = Object.entries(value);
  if (others.length === 0 && name === 'Fn::Join')
    return list(resolve(list(argument)[1])).join(String(list(argument)[0]));
  if (others.length === 0 && (name === 'Ref' || name.startsWith('Fn::')))
    return PSEUDO[String(argument)] ?? 'x'.repeat(ARN_LENGTH);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one)]));
}

const lengthOf = (value: unknown): number => JSON.stringify(resolve(value) ?? {}).length;

export const checkPolicySizes: Check = (deployment) => {
  const over = (found: readonly Found[], what: string, max: number, of: (one: Found) => unknown) =>
    found.filter((one) => lengthOf(of(one)) > max).map((one) => `${one.at} has ${what} over ${max} characters`);
  return [
    ...over(resourcesOf(deployment, 'AWS::IAM::Role'), 'inline policies', INLINE_POLICY_MAX, ({ Properties }) =>
      list(Properties.Policies).map((policy) => (policy as { PolicyDocument: unknown }).PolicyDocument),
    ),
    ...over(
      resourcesOf(deployment, 'AWS::Lambda::Function'),
      'environment variables',
      ENVIRONMENT_BYTES_MAX,
      ({ Properties }) => Properties.Environment?.Variables,
    ),
    ...resourcesOf(deployment, 'AWS::Lambda::Function').flatMap(({ at, Properties }) =>
      Object.keys(Properties.Environment?.Variables ?? {})
        .filter((name) => !ALLOWED_VARIABLE.test(name))
        .map((name) => `${at} sets ${name}, which is reserved by Lambda or not a valid name`),
    ),
    ...resourcesOf(deployment, 'AWS::SQS::QueuePolicy')
      .filter(({ Properties }) => list(Properties.PolicyDocument?.Statement).length > QUEUE_STATEMENTS_MAX)
      .map(({ at }) => `${at} has more than ${QUEUE_STATEMENTS_MAX} statements`),
  ];
};

/**
 * CloudFormation rejects circular dependencies. CDK's validation does not find a cycle that includes an update policy.
 */
export const checkCycles: Check = ({ stacks }) =>
  stacks.flatMap(({ name, template }) => {
    const resources = Object.entries(template.Resources).map(([id, { UpdatePolicy, ...resource }]) => [
      id,
      { ...resource, Properties: { ...resource.Properties, UpdatePolicy } },
    ]);
    try {
      Template.fromJSON({ Resources: Object.fromEntries(resources) });
      return [];
    } catch (error) {
      return [`${name}: ${String(error).split('\n')[0]}`];
    }
  });

/**
 * Names of outputs must be unique, because commands find an output by its name in any stack. Names of resources must be
 * unique, because AWS rejects a second resource of the same name.
 */
export const checkNames: Check = (deployment) => {
  const outputs = deployment.stacks.flatMap(({ template }) =>
    Object.keys(template.Outputs ?? {}).filter((name) => !/^(?:ExportsOutput|PublishOutput)/.test(name)),
  );
  const physical = resourcesOf(deployment).flatMap((resource) => list(physicalName(resource)));
  return [outputs, physical].flatMap((names) =>
    [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map((name) => `${name} is not unique`),
  );
};

const SECRETS: readonly [RegExp, string][] = [
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/, 'an access key'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY/, 'a private key'],
  [/\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\./, 'a token'],
  [/"SecretString":/, 'the value of a secret'],
  [/\{\{resolve:/, 'a reference that CloudFormation replaces by a secret'],
  [/\b(?:sk|xi)-[A-Za-z0-9]{20,}/, 'an API key of a provider'],
];

/**
 * A template must contain no secret and no path of this machine. It may contain an account id only if a setting
 * contains this id.
 */
export const checkSecrets: Check = ({ stacks, settings }) => {
  const set = Object.values(settings).join(' ');
  return stacks.flatMap(({ name, template }) => {
    // Omits the mappings. They contain the ids of accounts in which AWS itself publishes layers.
    const { Mappings: _, ...own } = template;
    // Replaces JSON numbers, which cannot be account ids, because account ids are strings.
    const text = JSON.stringify(own).replace(/":\d+(?=[,}\]])/g, '":0');
    const accounts = [...text.matchAll(/(?<![0-9A-Za-z.])\d{12}(?![0-9A-Za-z])/g)].map(([account]) => account);
    return [
      ...SECRETS.filter(([form]) => form.test(text)).map(([, what]) => `${name} contains ${what}`),
      ...[...new Set(accounts)]
        .filter((account) => !set.includes(account))
        .map((account) => `${name} contains the account id ${account}`),
      ...[process.cwd(), homedir()]
        .filter((path) => path.length > 1 && text.includes(`${path}/`))
        .map(() => `${name} contains a path of this machine`),
    ];
  });
};
