import * as z from 'zod/mini';

const OneOrMore = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((given) => [given].flat()),
);

/**
 * A statement of an identity policy, as far as the roles of functions use the language. Whatever else stands in one is
 * refused: what is not understood can't be judged.
 */
export const Statement = z.pipe(
  z.strictObject({
    Sid: z.optional(z.string()),
    Effect: z.enum(['Allow', 'Deny']),
    Action: OneOrMore,
    Resource: OneOrMore,
    Condition: z.optional(z.record(z.string(), z.record(z.string(), OneOrMore))),
  }),
  z.transform(({ Effect, Action, Resource, Condition = {} }) => ({
    effect: Effect,
    actions: Action,
    resources: Resource,
    conditions: Condition,
  })),
);
export type Statement = z.infer<typeof Statement>;

/** By operator, then by key: all must hold, each with any one of its values. */
export type Conditions = Statement['conditions'];

/** What one call wants of a policy. A call can want several. */
export type RequiredPermission = {
  /** For example `dynamodb:GetItem`. */
  action: string;
  /** The ARN; `*` where the action knows no resources. */
  resource: string;
  /** The condition keys that the call brings along, by their names in lower case. */
  context?: Readonly<Record<string, string>>;
};
