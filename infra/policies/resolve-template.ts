import * as z from 'zod/mini';

const Values = z.record(z.string(), z.unknown());

/** The parts of a synthesized template that describe roles and functions. */
export const Template = z.object({
  stackName: z.string(),
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z._default(Values, {}) })),
  Outputs: z._default(
    z.record(z.string(), z.object({ Value: z.unknown(), Export: z.optional(z.object({ Name: z.unknown() })) })),
    {},
  ),
});
export type Template = z.infer<typeof Template>;

/** Values of CloudFormation's pseudo parameters. The ARNs of requests are built with the same values. */
export const PSEUDO_PARAMETERS = { partition: 'aws', region: 'eu-central-1', account: '111122223333' } as const;

const PSEUDO_REFERENCES: Readonly<Record<string, string>> = {
  'AWS::Partition': PSEUDO_PARAMETERS.partition,
  'AWS::Region': PSEUDO_PARAMETERS.region,
  'AWS::AccountId': PSEUDO_PARAMETERS.account,
  'AWS::URLSuffix': 'amazonaws.com',
};

const arn = (service: string, resource: string) =>
  `arn:${PSEUDO_PARAMETERS.partition}:${service}:${PSEUDO_PARAMETERS.region}:${PSEUDO_PARAMETERS.account}:${resource}`;

/** Functions that build a resource's ARN from the resource's name, by resource type. */
const ARN_BUILDERS: Readonly<Record<string, (name: string) => string>> = {
  'AWS::DynamoDB::GlobalTable': (name) => arn('dynamodb', `table/${name}`),
  'AWS::S3::Bucket': (name) => `arn:${PSEUDO_PARAMETERS.partition}:s3:::${name}`,
  'AWS::Kinesis::Stream': (name) => arn('kinesis', `stream/${name}`),
  'AWS::SecretsManager::Secret': (name) => arn('secretsmanager', `secret:${name}`),
  'AWS::SQS::Queue': (name) => arn('sqs', name),
  'AWS::Logs::LogGroup': (name) => arn('logs', `log-group:${name}:*`),
};

/**
 * Environment variables with values that templates contain as literals. The resolver replaces each such literal with
 * `${NAME}`.
 */
const LITERAL_NAMES = /(?:_FUNCTION|^EDGE_DISTRIBUTION_ID|^EDGE_CONNECTION_GROUP_ID|^MAIL_FROM|^SMS_SENDER)$/;

type FindOutput = ReturnType<typeof createOutputFinder>;
type Scope = {
  findOutput: FindOutput;
  /** Maps each resource to the environment variable that holds the resource's name. */
  variables: ReadonlyMap<unknown, string>;
};

/**
 * Creates a function that resolves references in a template's values to names and ARNs of resources. If the environment
 * variable NAME of a Lambda function contains the name of a resource, the result contains `${NAME}` instead of the
 * name. Otherwise, it contains the resource's logical id.
 *
 * @throws Error for an intrinsic function or a resource that is not supported. The created function also throws this.
 */
export function createResolver(templates: readonly Template[]) {
  const findOutput = createOutputFinder(templates);
  const environment = templates.flatMap((template) =>
    environmentVariables(template).map((variable) => ({ template, ...variable })),
  );
  const variables = new Map<unknown, string>();
  for (const { template, name, value } of environment) {
    const resource = findResource(findOutput, template, value);
    if (resource !== undefined && ARN_BUILDERS[resource.Type] !== undefined) variables.set(resource, `\${${name}}`);
  }
  const scope = { findOutput, variables };
  const literals = new Map<string, string>();
  for (const { template, name, value } of environment) {
    if (LITERAL_NAMES.test(name)) literals.set(String(resolve(scope, template, value)), `\${${name}}`);
  }
  return (template: Template, value: unknown): unknown => replaceLiterals(resolve(scope, template, value), literals);
}

/** Follows references to a resource, also across stacks. Returns undefined if the value refers to no resource. */
function findResource(
  findOutput: FindOutput,
  template: Template,
  value: unknown,
): Template['Resources'][string] | undefined {
  const [name, argument] = intrinsicFunction(value) ?? [];
  if (name === 'Ref') return template.Resources[String(argument)];
  const output = name === undefined ? undefined : findOutput(name, argument);
  return output && findResource(findOutput, output.template, output.value);
}

function resolve(scope: Scope, template: Template, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(scope, template, item));
  if (typeof value !== 'object' || value === null) return value;
  const [name, argument] = intrinsicFunction(value) ?? [];
  if (name === undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(scope, template, item)]));
  }
  const output = scope.findOutput(name, argument);
  if (output !== undefined) return resolve(scope, output.template, output.value);
  if (name === 'Ref') return PSEUDO_REFERENCES[String(argument)] ?? resolveRef(scope, template, String(argument));
  if (name === 'Fn::GetAtt') return resolveGetAtt(scope, template, argument);
  if (name === 'Fn::Join') return resolveJoin(scope, template, argument);
  throw new Error(
    `The intrinsic function ${name} in ${template.stackName} is not supported. Add it to resolve-template.ts.`,
  );
}

function describeResource({ variables }: Scope, template: Template, logicalId: string) {
  const resource = template.Resources[logicalId];
  const buildArn = resource && ARN_BUILDERS[resource.Type];
  if (buildArn === undefined)
    throw new Error(
      `The ARN of ${logicalId} (${resource?.Type ?? 'no resource'}) in ${template.stackName} is not known. ` +
        'Add its type to ARN_BUILDERS in resolve-template.ts.',
    );
  const name = variables.get(resource) ?? logicalId;
  return { name, arn: buildArn(name), type: resource?.Type };
}

/** Returns the value of `Ref`: the ARN of a secret, or the name of any other resource. */
function resolveRef(scope: Scope, template: Template, logicalId: string): string {
  const { name, arn: resourceArn, type } = describeResource(scope, template, logicalId);
  return type === 'AWS::SecretsManager::Secret' ? resourceArn : name;
}

function resolveGetAtt(scope: Scope, template: Template, argument: unknown): string {
  const [logicalId, attribute] = z.tuple([z.string(), z.string()]).parse(argument);
  // In AWS, the ARN ends with the time at which the stream was created, instead of `latest`.
  if (attribute === 'StreamArn') return `${describeResource(scope, template, logicalId).arn}/stream/latest`;
  if (attribute !== 'Arn')
    throw new Error(
      `The attribute ${attribute} of ${logicalId} in ${template.stackName} is not supported. Add it to resolve-template.ts.`,
    );
  return describeResource(scope, template, logicalId).arn;
}

function resolveJoin(scope: Scope, template: Template, argument: unknown): string {
  const [separator, parts] = z.tuple([z.string(), z.array(z.unknown())]).parse(argument);
  return parts.map((part) => resolve(scope, template, part)).join(separator);
}

function intrinsicFunction(value: unknown): [name: string, argument: unknown] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const [entry, another] = Object.entries(value);
  return entry !== undefined && another === undefined && /^(?:Ref$|Fn::)/.test(entry[0]) ? entry : undefined;
}

const StackOutput = z.object({ StackName: z.string(), OutputName: z.string() });

/**
 * Creates `findOutput`, which returns the stack output that an intrinsic function reads. If the function reads no
 * output, `findOutput` returns undefined. If the output does not exist, `findOutput` throws an Error.
 */
function createOutputFinder(templates: readonly Template[]) {
  return (name: string, argument: unknown): { template: Template; value: unknown } | undefined => {
    if (name === 'Fn::GetStackOutput') {
      const { StackName, OutputName } = StackOutput.parse(argument);
      const template = templates.find(({ stackName }) => stackName === StackName);
      const output = template?.Outputs[OutputName];
      if (template === undefined || output === undefined)
        throw new Error(`The stack ${StackName} has no output ${OutputName}.`);
      return { template, value: output.Value };
    }
    if (name !== 'Fn::ImportValue') return undefined;
    for (const template of templates) {
      const output = Object.values(template.Outputs).find(({ Export }) => Export?.Name === argument);
      if (output !== undefined) return { template, value: output.Value };
    }
    throw new Error(`No stack exports ${String(argument)}.`);
  };
}

const Environment = z.optional(z.object({ Variables: Values }));

const environmentVariables = ({ Resources }: Template) =>
  Object.values(Resources).flatMap(({ Type, Properties }) => {
    if (Type !== 'AWS::Lambda::Function') return [];
    const variables = Environment.parse(Properties.Environment)?.Variables ?? {};
    return Object.entries(variables).map(([name, value]) => ({ name, value }));
  });

function replaceLiterals(value: unknown, literals: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return [...literals].reduce((text, [literal, variable]) => text.replaceAll(literal, variable), value);
  }
  if (Array.isArray(value)) return value.map((item) => replaceLiterals(item, literals));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceLiterals(item, literals)]));
}
