import type { Conditions, RequiredPermission, Statement } from './statement.ts';

export type PolicyDecision =
  | { isAllowed: true; statement: Statement }
  | { isAllowed: false; reason: 'implicit deny' | 'explicit deny' };

/**
 * Evaluates the identity-based policies of a role as IAM does (IAM User Guide, policy evaluation logic). A permission
 * is allowed if a statement allows it and no statement denies it. Other kinds of policies are not evaluated.
 *
 * @throws Error if a statement for this action and resource has a condition that is not supported
 */
export function evaluatePolicy(statements: readonly Statement[], permission: RequiredPermission): PolicyDecision {
  const matching = statements.filter((statement) => appliesTo(statement, permission));
  if (matching.some(({ effect }) => effect === 'Deny')) return { isAllowed: false, reason: 'explicit deny' };
  const [statement] = matching;
  return statement === undefined ? { isAllowed: false, reason: 'implicit deny' } : { isAllowed: true, statement };
}

function appliesTo(
  { effect, actions, resources, conditions }: Statement,
  { action, resource, context = {} }: RequiredPermission,
): boolean {
  // The IAM guide says that a wildcard "can expand", but not exactly how much it matches. To be strict, match widely in
  // a Deny and narrowly in an Allow.
  const matchesResource = effect === 'Deny' ? matchesWildcards : matchesArn;
  return (
    actions.some((pattern) => matchesWildcards(pattern.toLowerCase(), action.toLowerCase())) &&
    resources.some((pattern) => matchesResource(pattern, resource)) &&
    conditionsMatch(conditions, context)
  );
}

const ARN_FIELDS = 6;

/**
 * Whether an ARN matches the pattern, field by field. Only wildcards in the last field match colons. If a pattern has
 * fewer than six fields and does not end with `*`, it matches nothing.
 */
export function matchesArn(pattern: string, resource: string): boolean {
  if (pattern === '*') return true;
  const fieldCount = pattern.split(':').length;
  const patternFields = splitArn(pattern, ARN_FIELDS);
  const resourceFields = splitArn(resource, patternFields.length);
  return (
    (fieldCount >= ARN_FIELDS || pattern.endsWith('*')) &&
    resource.split(':').length >= ARN_FIELDS &&
    patternFields.every((field, index) => matchesWildcards(field, resourceFields[index] ?? ''))
  );
}

/** Splits an ARN into at most `fieldsMax` fields. The last field holds the rest of the ARN. */
function splitArn(arn: string, fieldsMax: number): string[] {
  const fields = arn.split(':');
  return fields.length <= fieldsMax
    ? fields
    : [...fields.slice(0, fieldsMax - 1), fields.slice(fieldsMax - 1).join(':')];
}

/**
 * Whether the whole text matches the pattern. `*` matches any text, `?` matches one character. The running time is
 * O(`text.length` × `pattern.length`).
 */
export function matchesWildcards(pattern: string, text: string): boolean {
  let [patternIndex, textIndex] = [0, 0];
  // Where to continue after a mismatch: the last `*` then matches one more character.
  let retry: { patternIndex: number; textIndex: number } | undefined;
  while (textIndex < text.length) {
    const expected = pattern[patternIndex];
    if (expected === '*') {
      retry = { patternIndex: patternIndex + 1, textIndex };
      patternIndex += 1;
    } else if (expected === '?' || expected === text[textIndex]) {
      patternIndex += 1;
      textIndex += 1;
    } else if (retry !== undefined) {
      retry.textIndex += 1;
      ({ patternIndex, textIndex } = retry);
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(patternIndex));
}

type ConditionOperator = (expected: string, actual: string) => boolean;

const OPERATORS: Readonly<Record<string, ConditionOperator>> = {
  StringEquals: (expected, actual) => expected === actual,
  StringLike: matchesWildcards,
  // The same as StringLike, because a request has at most one value of each supported key. Stricter than IAM if it has
  // none: IAM would match.
  'ForAllValues:StringLike': matchesWildcards,
};

/** Supported condition keys. Each has a single value, which is derived from the request or from a resource tag. */
const SUPPORTED_KEYS = /^(?:s3:prefix|acm:validationmethod|dynamodb:leadingkeys|ses:fromaddress|aws:resourcetag\/.+)$/;

/** Whether all conditions match. A condition doesn't match if the request has no value for its key. */
const conditionsMatch = (conditions: Conditions, context: Readonly<Record<string, string>>): boolean =>
  Object.entries(conditions).every(([operatorName, keys]) =>
    Object.entries(keys).every(([key, values]) => {
      const actual = context[key.toLowerCase()];
      const operator = getConditionOperator(operatorName, key);
      return actual !== undefined && values.some((expected) => operator(expected, actual));
    }),
  );

/** @throws Error for an operator or a key that is not supported */
export function getConditionOperator(name: string, key: string): ConditionOperator {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (operator === undefined)
    throw new Error(`The condition operator ${name} is not supported. Add it to OPERATORS in evaluate-policy.ts.`);
  if (!SUPPORTED_KEYS.test(key.toLowerCase())) {
    throw new Error(`The condition key ${key} is not supported. Add it to SUPPORTED_KEYS in evaluate-policy.ts.`);
  }
  return operator;
}
