/** DynamoDB's limits of one expression; the embedded stand-in does not check them. */
export const EXPRESSION_BYTES_MAX = 4096;
export const EXPRESSION_OPERATORS_MAX = 300;

/**
 * Collects the names and values of an update's expressions under the shortest aliases there are (`#0`, `:5j`): an
 * update with 200 keys of any length stays below half of DynamoDB's 4 KB.
 */
export function createExpressionAliases() {
  const names = new Map<string, string>();
  const values: Record<string, string | number> = {};
  let count = 0;
  return {
    /** The alias of an attribute's name. */
    name: (attribute: string): string => {
      const alias = names.get(attribute) ?? `#${names.size.toString(36)}`;
      names.set(attribute, alias);
      return alias;
    },
    /** A new alias of a value. */
    value: (value: string | number): string => {
      const alias = `:${(count++).toString(36)}`;
      values[alias] = value;
      return alias;
    },
    names: (): Record<string, string> => Object.fromEntries(Array.from(names, ([name, alias]) => [alias, name])),
    values: (): Record<string, string | number> => values,
  };
}

/** @throws Error when DynamoDB would refuse the expression: a fault of ours, whatever the caller sent */
export function assertExpressionSize(expression: string): string {
  const bytes = Buffer.byteLength(expression);
  const operators = operatorsIn(expression);
  if (bytes > EXPRESSION_BYTES_MAX || operators > EXPRESSION_OPERATORS_MAX) {
    throw new Error(`An expression of ${bytes} bytes with ${operators} operators does not fit DynamoDB's limits.`);
  }
  return expression;
}

/** An upper bound of what DynamoDB counts: every action and comparison names an attribute once. */
const operatorsIn = (expression: string): number => expression.match(/#|\(|\bAND\b|\bOR\b/g)?.length ?? 0;
