/** DynamoDB's limits per expression. The code checks them, because the local stand-in does not. */
export const EXPRESSION_BYTES_MAX = 4096;
export const EXPRESSION_OPERATORS_MAX = 300;

export type ExpressionAliases = ReturnType<typeof createExpressionAliases>;

/**
 * Collects the names and values of an expression under the shortest possible aliases (`#0`, `:5j`). An update with 200
 * keys of any length then needs at most 2.2 KB of the 4 KB that DynamoDB allows.
 */
export function createExpressionAliases() {
  const names = new Map<string, string>();
  const values: Record<string, string | number> = {};
  let count = 0;
  return {
    /** Returns the alias of an attribute name. The same name always gets the same alias. */
    name: (attribute: string): string => {
      const alias = names.get(attribute) ?? `#${names.size.toString(36)}`;
      names.set(attribute, alias);
      return alias;
    },
    /** Returns a new alias for a value. */
    value: (value: string | number): string => {
      const alias = `:${(count++).toString(36)}`;
      values[alias] = value;
      return alias;
    },
    names: (): Record<string, string> => Object.fromEntries(Array.from(names, ([name, alias]) => [alias, name])),
    values: (): Record<string, string | number> => values,
  };
}

/** Returns the expression. @throws Error if it exceeds DynamoDB's limits, which no valid request can cause */
export function assertExpressionSize(expression: string): string {
  const bytes = Buffer.byteLength(expression);
  const operators = maxOperators(expression);
  if (bytes > EXPRESSION_BYTES_MAX || operators > EXPRESSION_OPERATORS_MAX) {
    throw new Error(
      `An update of a lead has an expression of ${bytes} bytes with ${operators} operators. DynamoDB allows ` +
        `${EXPRESSION_BYTES_MAX} bytes and ${EXPRESSION_OPERATORS_MAX} operators.`,
    );
  }
  return expression;
}

/**
 * Returns an upper bound of the operators that DynamoDB counts. It is the number of attribute names, brackets, `AND`
 * and `OR`, because each action and each comparison contains an attribute name.
 */
const maxOperators = (expression: string): number => expression.match(/#|\(|\bAND\b|\bOR\b/g)?.length ?? 0;
