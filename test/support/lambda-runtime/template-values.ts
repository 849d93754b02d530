import * as z from 'zod/mini';
import { STREAM } from '../../../infra/local/runtime/environment.ts';

const ACCOUNT = '000000000000';
const REGION = 'eu-central-1';

const PSEUDO: Record<string, string> = {
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

const Resource = z.looseObject({ Type: z.string(), Properties: z._default(z.record(z.string(), z.unknown()), {}) });
const Template = z.looseObject({
  Resources: z.record(z.string(), Resource),
  Outputs: z._default(z.record(z.string(), z.looseObject({ Value: z.unknown() })), {}),
});
export type Templates = Map<string, z.infer<typeof Template>>;

const StackOutput = z.looseObject({ StackName: z.string(), OutputName: z.string() });

/** The parsed templates, by the names of their stacks. */
export const templatesOf = (stacks: readonly { stackName: string; template: unknown }[]): Templates =>
  new Map(stacks.map(({ stackName, template }) => [stackName, Template.parse(template)]));

/** Creates a name in the format of AWS from a logical id. The keys are types of resources. */
const NAMES: Record<string, (logicalId: string) => string> = {
  'AWS::Kinesis::Stream': () => STREAM,
  'AWS::S3::Bucket': (logicalId) => `tributary-${logicalId.toLowerCase()}`,
  'AWS::SecretsManager::Secret': (logicalId) =>
    `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${logicalId}-AbCdEf`,
};

export const physicalName = (type: string, logicalId: string): string => NAMES[type]?.(logicalId) ?? logicalId;

/**
 * Resolves a value of a template as CloudFormation does, with names like those of AWS.
 *
 * @throws Error for an unknown resource, stack, output or function
 */
export function resolved(templates: Templates, stack: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = (part: unknown) => resolved(templates, stack, part);
  const [[name, argument] = []] = Object.entries(value);
  if (name === 'Ref') return refOf(templates, stack, String(argument));
  if (name === 'Fn::Join' && Array.isArray(argument)) return argument[1].map(inner).join(argument[0]);
  if (name === 'Fn::GetAtt' && Array.isArray(argument)) return `${refOf(templates, stack, argument[0])}.${argument[1]}`;
  if (name === 'Fn::GetStackOutput') {
    const { StackName, OutputName } = StackOutput.parse(argument);
    const output = templates.get(StackName)?.Outputs[OutputName];
    if (output === undefined)
      throw new Error(`${stack} reads the output ${OutputName} of ${StackName}, which does not exist.`);
    return resolved(templates, StackName, output.Value);
  }
  throw new Error(`No value is known for ${JSON.stringify(value)}.`);
}

function refOf(templates: Templates, stack: string, name: string): string {
  const known = name === 'AWS::StackName' ? stack : PSEUDO[name];
  if (known !== undefined) return known;
  const found = templates.get(stack)?.Resources[name];
  if (found === undefined) throw new Error(`${stack} refers to ${name}, which does not exist.`);
  return physicalName(found.Type, name);
}
