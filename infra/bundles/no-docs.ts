/*
 * Replaces `shared/http/schema-docs.ts` in bundles, where schemas validate requests and describe nothing. The bundler
 * removes calls of empty functions, with their texts.
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
