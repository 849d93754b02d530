import * as z from 'zod/mini';
import { getConditionOperator } from './evaluate-policy.ts';
import { createResolver, type Template } from './resolve-template.ts';
import { Statement } from './statement.ts';

/** By the function's id; `${NAME}` in a resource or a condition is the function's environment variable of that name. */
export type Policies = Readonly<Record<string, readonly Statement[]>>;

const Role = z.strictObject({
  AssumeRolePolicyDocument: z.unknown(),
  Policies: z.array(
    z.object({ PolicyDocument: z.strictObject({ Version: z.string(), Statement: z.array(z.unknown()) }) }),
  ),
  Description: z.optional(z.string()),
  RoleName: z.optional(z.unknown()),
  Tags: z.optional(z.unknown()),
});

const Reference = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) });

/**
 * What the roles of functions may do, read from synthesized templates, not from what made them.
 *
 * @param idOf the declared function that a function in a template is, by its logical id
 * @throws Error when a role can do more, or a statement means more, than is understood here
 */
export function extractPolicies(
  templates: readonly Template[],
  idOf: (logicalId: string) => string | undefined,
): Policies {
  const resolve = createResolver(templates);
  const policies: Record<string, Statement[]> = {};
  for (const template of templates) {
    refuseAttached(template);
    for (const [logicalId, { Type, Properties }] of Object.entries(template.Resources)) {
      const id = Type === 'AWS::Lambda::Function' ? idOf(logicalId) : undefined;
      if (id === undefined) continue;
      if (policies[id] !== undefined) throw new Error(`${id} has two functions.`);
      const [roleId] = Reference.parse(Properties.Role)['Fn::GetAtt'];
      policies[id] = statementsOf(template, roleId).map((statement) => understood(resolve(template, statement)));
    }
  }
  return policies;
}

function statementsOf({ Resources }: Template, roleId: string): unknown[] {
  const { Policies } = Role.parse(Resources[roleId]?.Properties);
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

/** Policies that stand beside a role would add to it unseen. */
function refuseAttached({ Resources }: Template): void {
  const attached = Object.entries(Resources).find(([, { Type }]) => /^AWS::IAM::(?:\w*Policy)$/.test(Type));
  if (attached !== undefined) throw new Error(`${attached[0]} adds to roles from outside: write it into them.`);
}

function understood(given: unknown): Statement {
  const statement = Statement.parse(given);
  for (const [operator, keys] of Object.entries(statement.conditions)) {
    for (const key of Object.keys(keys)) getConditionOperator(operator, key);
  }
  return statement;
}
