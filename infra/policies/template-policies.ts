import * as z from 'zod/mini';
import { getConditionOperator } from './evaluate-policy.ts';
import { createResolver, type Template } from './resolve-template.ts';
import { Statement } from './statement.ts';

/** Statements by function id. `${NAME}` in a resource or a condition is the function's environment variable NAME. */
export type Policies = Readonly<Record<string, readonly Statement[]>>;

/** Unknown properties, such as managed policies, are rejected, because they could change the role's permissions. */
const Role = z.strictObject({
  AssumeRolePolicyDocument: z.unknown(),
  Policies: z.array(
    z.object({ PolicyDocument: z.strictObject({ Version: z.string(), Statement: z.array(z.unknown()) }) }),
  ),
  Description: z.optional(z.string()),
  RoleName: z.optional(z.unknown()),
  Tags: z.optional(z.unknown()),
});

const RoleReference = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) });

/**
 * Reads the policies of the functions' roles from synthesized templates, not from the code that defines them.
 *
 * @param getFunctionId returns the id of the declared function with this logical id; undefined for other functions
 * @throws Error if a policy is separate from its role, two functions have the same id, or an element is not supported
 */
export function extractPolicies(
  templates: readonly Template[],
  getFunctionId: (logicalId: string) => string | undefined,
): Policies {
  const resolve = createResolver(templates);
  const policies: Record<string, Statement[]> = {};
  for (const template of templates) {
    assertNoSeparatePolicies(template);
    for (const [logicalId, { Type, Properties }] of Object.entries(template.Resources)) {
      const id = Type === 'AWS::Lambda::Function' ? getFunctionId(logicalId) : undefined;
      if (id === undefined) continue;
      if (policies[id] !== undefined)
        throw new Error(`The id ${id} belongs to two functions. One of them is ${logicalId} in ${template.stackName}.`);
      const [roleId] = RoleReference.parse(Properties.Role)['Fn::GetAtt'];
      policies[id] = readStatements(template, roleId).map((statement) => parseStatement(resolve(template, statement)));
    }
  }
  return policies;
}

function readStatements({ Resources }: Template, roleId: string): unknown[] {
  const { Policies } = Role.parse(Resources[roleId]?.Properties);
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

/** @throws Error for a policy outside of a role, because `readStatements` reads only policies inside of roles */
function assertNoSeparatePolicies({ stackName, Resources }: Template): void {
  const policy = Object.entries(Resources).find(([, { Type }]) => /^AWS::IAM::(?:\w*Policy)$/.test(Type));
  if (policy !== undefined)
    throw new Error(`${policy[0]} in ${stackName} is a separate policy. Write its statements into the role.`);
}

function parseStatement(value: unknown): Statement {
  const statement = Statement.parse(value);
  for (const [operator, keys] of Object.entries(statement.conditions)) {
    for (const key of Object.keys(keys)) getConditionOperator(operator, key);
  }
  return statement;
}
