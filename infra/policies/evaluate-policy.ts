import type { Conditions, RequiredPermission, Statement } from './statement.ts';

export type Decision =
  | { allowed: true; by: Statement }
  | { allowed: false; why: 'nothing allows it' | 'something denies it' };

/**
 * Decides as IAM does for a role's own policies: what nothing allows is forbidden, and what something denies stays so
 * (IAM User Guide, policy evaluation logic). Resources' own policies, boundaries and sessions have no part in it.
 *
 * @throws Error for a condition that this does not understand
 */
export function evaluatePolicy(statements: readonly Statement[], demand: RequiredPermission): Decision {
  const matching = statements.filter((statement) => concerns(statement, demand));
  if (matching.some(({ effect }) => effect === 'Deny')) return { allowed: false, why: 'something denies it' };
  const [by] = matching;
  return by === undefined ? { allowed: false, why: 'nothing allows it' } : { allowed: true, by };
}

function concerns(
  { effect, actions, resources, conditions }: Statement,
  { action, resource, context = {} }: RequiredPermission,
): boolean {
  // How far wildcards reach in IAM, its guide leaves open ("can expand"): what denies is taken widely, what allows not.
  const isNamed = effect === 'Deny' ? matchesWildcards : matchesArn;
  return (
    actions.some((pattern) => matchesWildcards(pattern.toLowerCase(), action.toLowerCase())) &&
    resources.some((pattern) => isNamed(pattern, resource)) &&
    holds(conditions, context)
  );
}

const ARN_FIELDS = 6;

/**
 * Field by field: a wildcard of one field of an ARN reaches into the next only where it ends the whole pattern; the last
 * field may hold colons.
 */
export function matchesArn(pattern: string, resource: string): boolean {
  if (pattern === '*') return true;
  const fields = pattern.split(':').length;
  const wanted = fieldsOf(pattern, ARN_FIELDS);
  const given = fieldsOf(resource, wanted.length);
  return (
    (fields >= ARN_FIELDS || pattern.endsWith('*')) &&
    resource.split(':').length >= ARN_FIELDS &&
    wanted.every((field, at) => matchesWildcards(field, given[at] ?? ''))
  );
}

/** At most so many; the last one holds the rest. */
function fieldsOf(arn: string, most: number): string[] {
  const fields = arn.split(':');
  return fields.length <= most ? fields : [...fields.slice(0, most - 1), fields.slice(most - 1).join(':')];
}

/** `*` stands for any text, `?` for one character. Takes time in proportion to both lengths at worst. */
export function matchesWildcards(pattern: string, text: string): boolean {
  let [inPattern, inText] = [0, 0];
  // Where to go on when what follows the last `*` does not fit: one character further in the text.
  let retry: { inPattern: number; inText: number } | undefined;
  while (inText < text.length) {
    const wanted = pattern[inPattern];
    if (wanted === '*') {
      retry = { inPattern: inPattern + 1, inText };
      inPattern += 1;
    } else if (wanted === '?' || wanted === text[inText]) {
      inPattern += 1;
      inText += 1;
    } else if (retry !== undefined) {
      retry.inText += 1;
      ({ inPattern, inText } = retry);
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(inPattern));
}

type Compare = (wanted: string, given: string) => boolean;

const OPERATORS: Readonly<Record<string, Compare>> = {
  StringEquals: (wanted, given) => wanted === given,
  StringLike: matchesWildcards,
};

/** Keys with one value, which some request of ours can bring. */
const KEYS = /^(?:s3:prefix|acm:validationmethod|ses:fromaddress|aws:resourcetag\/.+)$/;

/** A key that the call does not bring matches nothing. */
const holds = (conditions: Conditions, context: Readonly<Record<string, string>>): boolean =>
  Object.entries(conditions).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => {
      const given = context[key.toLowerCase()];
      const compare = getConditionOperator(operator, key);
      return given !== undefined && wanted.some((value) => compare(value, given));
    }),
  );

/** @throws Error for an operator or a key that this does not know */
export function getConditionOperator(operator: string, key: string): Compare {
  const compare = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (compare === undefined)
    throw new Error(`Conditions with ${operator} are not understood here: add it to decide.ts.`);
  if (!KEYS.test(key.toLowerCase())) throw new Error(`No request is known to bring ${key}: add it to decide.ts.`);
  return compare;
}
