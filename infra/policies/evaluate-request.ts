import { evaluatePolicy } from './evaluate-policy.ts';
import type { AwsRequest } from './requests/aws-request.ts';
import { requiredPermissions } from './requests/required-permissions.ts';
import type { RequiredPermission, Statement } from './statement.ts';
import type { Policies } from './template-policies.ts';

/** A permission that a function used. `resources` are the resources of the statement that grants the permission. */
export type GrantUse = { id: string; action: string; resources: readonly string[] };

/**
 * @property hidesMissing true if the function has no permission to list the bucket. For a missing object, S3 then
 *   responds 403, not 404.
 */
export type RequestDecision = { isAllowed: true; hidesMissing?: boolean } | { isAllowed: false; message: string };

export type ReadTags = (arn: string) => Promise<Readonly<Record<string, string>>>;

const TAG_KEY_PREFIX = 'aws:resourcetag/';

/**
 * Creates an evaluator that applies the policies of the functions to requests.
 *
 * @param recordUse called for each use of a permission, even if the function used the permission before
 */
export function createRequestEvaluator(policies: Policies, recordUse: (use: GrantUse) => void) {
  const getStatements = createStatementReader(policies);
  const allows = (id: string, permission: RequiredPermission): boolean => {
    const decision = evaluatePolicy(getStatements(id), permission);
    if (decision.isAllowed) {
      recordUse({ id, action: permission.action, resources: templateStatement(decision.statement).resources });
    }
    return decision.isAllowed;
  };
  const decide = (
    id: string,
    permissions: readonly RequiredPermission[],
    toSeeMissing?: RequiredPermission,
  ): RequestDecision => {
    const denied = permissions.find((permission) => !allows(id, permission));
    if (denied !== undefined) return { isAllowed: false, message: denialMessage(id, denied) };
    if (toSeeMissing === undefined) return { isAllowed: true };
    return { isAllowed: true, hidesMissing: !evaluatePolicy(getStatements(id), toSeeMissing).isAllowed };
  };
  return {
    allows,
    /**
     * Records that a function used its permission to list the bucket. Without this permission, S3 would respond 403
     * for a missing object, not 404.
     */
    recordMissingObject: (id: string, request: AwsRequest): void => {
      const { toSeeMissing } = requiredPermissions(request);
      if (toSeeMissing !== undefined) allows(id, toSeeMissing);
    },
    /** Returns a promise only if the decision depends on the resource's tags. */
    evaluate: (id: string, request: AwsRequest, readTags: ReadTags): RequestDecision | Promise<RequestDecision> => {
      try {
        const { permissions, toSeeMissing } = requiredPermissions(request);
        if (!permissions.some((permission) => dependsOnTags(getStatements(id), permission))) {
          return decide(id, permissions, toSeeMissing);
        }
        return withTags(permissions, readTags).then((tagged) => decide(id, tagged, toSeeMissing));
      } catch (error) {
        return {
          isAllowed: false,
          message: `The policy of the function ${id} could not be applied to a request. ${String(error)}`,
        };
      }
    },
  };
}

const denialMessage = (id: string, { action, resource }: RequiredPermission): string =>
  `The function ${id} is not allowed ${action} on ${resource}. If the function needs this permission, add a grant ` +
  `to its declaration in functions/${id}. infra/functions/grants.ts lists the grants.`;

const dependsOnTags = (statements: readonly Statement[], { action }: RequiredPermission): boolean =>
  statements.some(
    ({ actions, conditions }) =>
      actions.includes(action) &&
      Object.values(conditions).some((keys) =>
        Object.keys(keys).some((key) => key.toLowerCase().startsWith(TAG_KEY_PREFIX)),
      ),
  );

const withTags = (permissions: readonly RequiredPermission[], readTags: ReadTags): Promise<RequiredPermission[]> =>
  Promise.all(
    permissions.map(async (permission) => {
      if (!permission.resource.includes(':distribution-tenant/')) return permission;
      const tags = Object.entries(await readTags(permission.resource));
      const context = Object.fromEntries(
        tags.map(([name, value]) => [`${TAG_KEY_PREFIX}${name.toLowerCase()}`, value]),
      );
      return { ...permission, context: { ...permission.context, ...context } };
    }),
  );

/** The key is a statement with replaced variables. The value is the original statement, with the variables. */
const TEMPLATE_STATEMENTS = new WeakMap<Statement, Statement>();
const templateStatement = (statement: Statement): Statement => TEMPLATE_STATEMENTS.get(statement) ?? statement;

const VARIABLE = /\$\{(\w+)\}/g;

/**
 * Creates a function that returns the statements of a Lambda function. Variables in the statements are replaced by the
 * current values of the environment. A variable that is not set becomes a name that no resource has.
 */
function createStatementReader(policies: Policies): (id: string) => readonly Statement[] {
  const cache = new Map<string, { values: string; statements: readonly Statement[] }>();
  const variables = new Map(Object.entries(policies).map(([id, statements]) => [id, findVariables(statements)]));
  return (id) => {
    const templates = policies[id];
    if (templates === undefined)
      throw new Error(`There is no policy for ${id}. Add the function to functions/declarations.ts.`);
    const values = (variables.get(id) ?? []).map((name) => process.env[name] ?? '').join('\n');
    const cached = cache.get(id);
    if (cached?.values === values) return cached.statements;
    const statements = templates.map(replaceVariables);
    cache.set(id, { values, statements });
    return statements;
  };
}

const findVariables = (statements: readonly Statement[]): string[] => [
  ...new Set([...JSON.stringify(statements).matchAll(VARIABLE)].map(([, name = '']) => name)),
];

function replaceVariables(template: Statement): Statement {
  const replace = (text: string) => text.replace(VARIABLE, (_, name: string) => process.env[name] ?? `no-${name}`);
  const conditions = Object.fromEntries(
    Object.entries(template.conditions).map(([operator, keys]) => [
      operator,
      Object.fromEntries(Object.entries(keys).map(([key, values]) => [key, values.map(replace)])),
    ]),
  );
  const statement = { ...template, resources: template.resources.map(replace), conditions };
  TEMPLATE_STATEMENTS.set(statement, template);
  return statement;
}
