/*
 * Stands for `shared/http/schema-docs.ts` in bundles, where requests are checked and nothing is described: a call of an empty
 * function goes, and its text with it.
 */

/* @__NO_SIDE_EFFECTS__ */
export function docText(_text: string): undefined {
  return undefined;
}

/* @__NO_SIDE_EFFECTS__ */
export function docsOnly(_schemas: unknown): undefined {
  return undefined;
}

/* @__NO_SIDE_EFFECTS__ */
export function withDocs<S>(schema: S, _as: unknown): S {
  return schema;
}

/* @__NO_SIDE_EFFECTS__ */
export function documentedLike(_schema: unknown): undefined {
  return undefined;
}
