import * as z from 'zod/mini';

const OneOrMore = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((given) => [given].flat()),
);

/**
 * A statement of an identity policy, limited to the elements that the functions' roles use. Any other element is an
 * error: a statement that is only partly understood cannot be evaluated.
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

/** By operator, then by key. All keys must match, each with any one of its values. */
export type Conditions = Statement['conditions'];

/** A permission that a request needs. One request can need several. */
export type RequiredPermission = {
  /** For example `dynamodb:GetItem`. */
  action: string;
  /** An ARN, or `*` for actions without resource-level permissions. */
  resource: string;
  /** The condition keys that the request supplies, with names in lower case. */
  context?: Readonly<Record<string, string>>;
};
