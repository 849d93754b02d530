import { evaluatePolicy } from './evaluate-policy.ts';
import type { AwsRequest } from './requests/aws-request.ts';
import { requiredPermissions } from './requests/required-permissions.ts';
import type { RequiredPermission, Statement } from './statement.ts';
import type { Policies } from './template-policies.ts';

/** A permission that was used: of the function, by action, and by the resources of the statement that gave it. */
export type GrantUse = { id: string; action: string; resources: readonly string[] };

export type RequestDecision =
  | { allowed: true /** S3 does not tell whether an object is missing. */; hidesMissing?: boolean }
  | { allowed: false; sentence: string };

/** The tags of a resource, by its ARN. */
export type TagsOf = (arn: string) => Promise<Readonly<Record<string, string>>>;

const TAG = 'aws:resourcetag/';

/** Judges requests of functions by their policies. @param used is told each use, however often it is the same */
export function createRequestEvaluator(policies: Policies, used: (use: GrantUse) => void) {
  const statementsOf = inPlace(policies);
  const allows = (id: string, demand: RequiredPermission): boolean => {
    const decision = evaluatePolicy(statementsOf(id), demand);
    if (decision.allowed) used({ id, action: demand.action, resources: originOf(decision.by).resources });
    return decision.allowed;
  };
  const verdict = (
    id: string,
    demands: readonly RequiredPermission[],
    hearing?: RequiredPermission,
  ): RequestDecision => {
    const refused = demands.find((demand) => !allows(id, demand));
    if (refused !== undefined) return { allowed: false, sentence: sentenceOf(id, refused) };
    if (hearing === undefined) return { allowed: true };
    return { allowed: true, hidesMissing: !evaluatePolicy(statementsOf(id), hearing).allowed };
  };
  return {
    allows,
    /** Counts the permission by which a function hears that an object is missing as used. */
    heardMissing: (id: string, request: AwsRequest): void => {
      const { toSeeMissing: toHearMissing } = requiredPermissions(request);
      if (toHearMissing !== undefined) allows(id, toHearMissing);
    },
    /** A promise only where the resource's tags decide. */
    request: (id: string, request: AwsRequest, tagsOf: TagsOf): RequestDecision | Promise<RequestDecision> => {
      try {
        const { permissions: demands, toSeeMissing: toHearMissing } = requiredPermissions(request);
        if (!demands.some((demand) => looksAtTags(statementsOf(id), demand))) {
          return verdict(id, demands, toHearMissing);
        }
        return withTags(demands, tagsOf).then((tagged) => verdict(id, tagged, toHearMissing));
      } catch (error) {
        return { allowed: false, sentence: `The function ${id} may not do what is not understood. ${String(error)}` };
      }
    },
  };
}

const sentenceOf = (id: string, { action, resource }: RequiredPermission): string =>
  `The function ${id} is not allowed ${action} on ${resource}: its role has no statement for it (infra/functions/grants.ts).`;

const looksAtTags = (statements: readonly Statement[], { action }: RequiredPermission): boolean =>
  statements.some(
    ({ actions, conditions }) =>
      actions.includes(action) &&
      Object.values(conditions).some((keys) => Object.keys(keys).some((key) => key.toLowerCase().startsWith(TAG))),
  );

const withTags = (demands: readonly RequiredPermission[], tagsOf: TagsOf): Promise<RequiredPermission[]> =>
  Promise.all(
    demands.map(async (demand) => {
      if (!demand.resource.includes(':distribution-tenant/')) return demand;
      const tags = Object.entries(await tagsOf(demand.resource));
      const context = Object.fromEntries(tags.map(([name, value]) => [`${TAG}${name.toLowerCase()}`, value]));
      return { ...demand, context: { ...demand.context, ...context } };
    }),
  );

const ORIGINS = new WeakMap<Statement, Statement>();
const originOf = (statement: Statement): Statement => ORIGINS.get(statement) ?? statement;

const VARIABLE = /\$\{(\w+)\}/g;

/** Statements with the names that the environment has now. One about what has no name here speaks of nothing. */
function inPlace(policies: Policies): (id: string) => readonly Statement[] {
  const made = new Map<string, { names: string; statements: readonly Statement[] }>();
  const variables = new Map(Object.entries(policies).map(([id, of]) => [id, variablesIn(of)]));
  return (id) => {
    const origins = policies[id];
    if (origins === undefined) throw new Error(`There is no policy for ${id}.`);
    const names = (variables.get(id) ?? []).map((name) => process.env[name] ?? '').join('\n');
    const before = made.get(id);
    if (before?.names === names) return before.statements;
    const statements = origins.map(placed);
    made.set(id, { names, statements });
    return statements;
  };
}

const variablesIn = (statements: readonly Statement[]): string[] => [
  ...new Set([...JSON.stringify(statements).matchAll(VARIABLE)].map(([, name = '']) => name)),
];

function placed(origin: Statement): Statement {
  const place = (text: string) => text.replace(VARIABLE, (_, name: string) => process.env[name] ?? `no-${name}`);
  const conditions = Object.fromEntries(
    Object.entries(origin.conditions).map(([operator, keys]) => [
      operator,
      Object.fromEntries(Object.entries(keys).map(([key, values]) => [key, values.map(place)])),
    ]),
  );
  const statement = { ...origin, resources: origin.resources.map(place), conditions };
  ORIGINS.set(statement, origin);
  return statement;
}
