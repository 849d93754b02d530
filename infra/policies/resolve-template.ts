import * as z from 'zod/mini';

const Values = z.record(z.string(), z.unknown());

/** A synthesized template, as far as roles and functions are concerned. */
export const Template = z.object({
  stackName: z.string(),
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z._default(Values, {}) })),
  Outputs: z._default(
    z.record(z.string(), z.object({ Value: z.unknown(), Export: z.optional(z.object({ Name: z.unknown() })) })),
    {},
  ),
});
export type Template = z.infer<typeof Template>;

/** Where everything is, here and in the mapping of requests. */
export const PSEUDO_PARAMETERS = { partition: 'aws', region: 'eu-central-1', account: '111122223333' } as const;

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': PSEUDO_PARAMETERS.partition,
  'AWS::Region': PSEUDO_PARAMETERS.region,
  'AWS::AccountId': PSEUDO_PARAMETERS.account,
  'AWS::URLSuffix': 'amazonaws.com',
};

const at = (service: string, resource: string) =>
  `arn:${PSEUDO_PARAMETERS.partition}:${service}:${PSEUDO_PARAMETERS.region}:${PSEUDO_PARAMETERS.account}:${resource}`;

/** The ARNs of resources, by the name under which a function knows them. */
const ARNS: Readonly<Record<string, (name: string) => string>> = {
  'AWS::DynamoDB::GlobalTable': (name) => at('dynamodb', `table/${name}`),
  'AWS::S3::Bucket': (name) => `arn:${PSEUDO_PARAMETERS.partition}:s3:::${name}`,
  'AWS::Kinesis::Stream': (name) => at('kinesis', `stream/${name}`),
  'AWS::SecretsManager::Secret': (name) => at('secretsmanager', `secret:${name}`),
  'AWS::SQS::Queue': (name) => at('sqs', name),
  'AWS::Logs::LogGroup': (name) => at('logs', `log-group:${name}:*`),
};

/** Settings whose value is a name in a deployment already: it is taken for the variable wherever a policy holds it. */
const NAMED = /(?:_FUNCTION|^EDGE_DISTRIBUTION_ID|^EDGE_CONNECTION_GROUP_ID|^MAIL_FROM|^SMS_SENDER)$/;

type Outputs = ReturnType<typeof outputsOf>;
type Scope = {
  outputs: Outputs;
  /** What a resource is called: the variable by which functions know it. */
  variables: ReadonlyMap<unknown, string>;
};

/**
 * Resolves what a template's values refer to. The names of resources become `${NAME}`, the environment variable by
 * which the template's own functions learn them.
 *
 * @throws Error for an intrinsic function or a resource that this does not know
 */
export function createResolver(templates: readonly Template[]) {
  const outputs = outputsOf(templates);
  const environments = templates.flatMap((template) => environmentsIn(template).map((one) => ({ template, ...one })));
  const variables = new Map<unknown, string>();
  for (const { template, name, value } of environments) {
    const resource = resourceOf(outputs, template, value);
    if (resource !== undefined && ARNS[resource.Type] !== undefined) variables.set(resource, `\${${name}}`);
  }
  const scope = { outputs, variables };
  const literals = new Map<string, string>();
  for (const { template, name, value } of environments) {
    if (NAMED.test(name)) literals.set(String(resolved(scope, template, value)), `\${${name}}`);
  }
  return (template: Template, value: unknown): unknown => withVariables(resolved(scope, template, value), literals);
}

/** Follows references across stacks to the resource that one stands for. */
function resourceOf(outputs: Outputs, template: Template, value: unknown): Template['Resources'][string] | undefined {
  const [name, argument] = intrinsic(value) ?? [];
  if (name === 'Ref') return template.Resources[String(argument)];
  const output = name === undefined ? undefined : outputs(name, argument);
  return output && resourceOf(outputs, output.template, output.value);
}

function resolved(scope: Scope, template: Template, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => resolved(scope, template, one));
  if (typeof value !== 'object' || value === null) return value;
  const [name, argument] = intrinsic(value) ?? [];
  if (name === undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(scope, template, one)]));
  }
  const output = scope.outputs(name, argument);
  if (output !== undefined) return resolved(scope, output.template, output.value);
  if (name === 'Ref') return PSEUDO[String(argument)] ?? referenced(scope, template, String(argument));
  if (name === 'Fn::GetAtt') return attribute(scope, template, argument);
  if (name === 'Fn::Join') return joined(scope, template, argument);
  throw new Error(`${name} is not understood here: add it to resolve.ts.`);
}

function known({ variables }: Scope, template: Template, logicalId: string) {
  const resource = template.Resources[logicalId];
  const arnOf = resource && ARNS[resource.Type];
  if (arnOf === undefined) throw new Error(`What ${logicalId} is called is not known here: add it to resolve.ts.`);
  const name = variables.get(resource) ?? logicalId;
  return { name, arn: arnOf(name), type: resource?.Type };
}

/** A secret's reference is its ARN, that of all others here their name. */
function referenced(scope: Scope, template: Template, logicalId: string): string {
  const { name, arn, type } = known(scope, template, logicalId);
  return type === 'AWS::SecretsManager::Secret' ? arn : name;
}

function attribute(scope: Scope, template: Template, argument: unknown): string {
  const [logicalId, attributeName] = z.tuple([z.string(), z.string()]).parse(argument);
  if (attributeName !== 'Arn') throw new Error(`The ${attributeName} of ${logicalId} is not known here.`);
  return known(scope, template, logicalId).arn;
}

function joined(scope: Scope, template: Template, argument: unknown): string {
  const [separator, parts] = z.tuple([z.string(), z.array(z.unknown())]).parse(argument);
  return parts.map((part) => resolved(scope, template, part)).join(separator);
}

function intrinsic(value: unknown): [name: string, argument: unknown] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const [entry, another] = Object.entries(value);
  return entry !== undefined && another === undefined && /^(?:Ref$|Fn::)/.test(entry[0]) ? entry : undefined;
}

const StackOutput = z.object({ StackName: z.string(), OutputName: z.string() });

function outputsOf(templates: readonly Template[]) {
  return (name: string, argument: unknown): { template: Template; value: unknown } | undefined => {
    if (name === 'Fn::GetStackOutput') {
      const { StackName, OutputName } = StackOutput.parse(argument);
      const template = templates.find(({ stackName }) => stackName === StackName);
      const output = template?.Outputs[OutputName];
      if (template === undefined || output === undefined) throw new Error(`${StackName} has no output ${OutputName}.`);
      return { template, value: output.Value };
    }
    if (name !== 'Fn::ImportValue') return undefined;
    for (const template of templates) {
      const output = Object.values(template.Outputs).find(({ Export }) => Export?.Name === argument);
      if (output !== undefined) return { template, value: output.Value };
    }
    throw new Error(`Nothing exports ${String(argument)}.`);
  };
}

const Variables = z.optional(z.object({ Variables: Values }));

const environmentsIn = ({ Resources }: Template) =>
  Object.values(Resources).flatMap(({ Type, Properties }) =>
    Type === 'AWS::Lambda::Function'
      ? Object.entries(Variables.parse(Properties.Environment)?.Variables ?? {}).map(([name, value]) => ({
          name,
          value,
        }))
      : [],
  );

function withVariables(value: unknown, literals: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return [...literals].reduce((text, [literal, variable]) => text.replaceAll(literal, variable), value);
  }
  if (Array.isArray(value)) return value.map((one) => withVariables(one, literals));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withVariables(one, literals)]));
}
