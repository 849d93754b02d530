/*
 * Replaces `shared/http/schema-docs.ts` in bundles, because deployed functions do not need descriptions of schemas. The
 * bundler removes the calls of these empty functions, together with the texts that are passed to them.
 */

/* @__NO_SIDE_EFFECTS__ */
export function docText(..._lines: readonly string[]): undefined {
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
