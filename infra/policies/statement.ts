import * as z from 'zod/mini';

const OneOrMore = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((given) => [given].flat()),
);

/**
 * A statement of an identity-based policy, limited to the elements that the functions' roles use. Any other element is
 * an error, because a statement that is only partly understood cannot be evaluated.
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

/**
 * Expected values by operator and key. The conditions match if, for every key, the value in the request matches one of
 * the expected values.
 */
export type Conditions = Statement['conditions'];

/** A permission that a request needs. A request can need several permissions. */
export type RequiredPermission = {
  /** For example `dynamodb:GetItem`. */
  action: string;
  /** An ARN, or `*` for actions without resource-level permissions. */
  resource: string;
  /** Values of condition keys in the request. The names of the keys are in lower case. */
  context?: Readonly<Record<string, string>>;
};
