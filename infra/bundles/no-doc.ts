/*
 * Stands for `shared/http/doc.ts` in bundles, where requests are checked and nothing is described: a call of an empty
 * function goes, and its text with it.
 */

/* @__NO_SIDE_EFFECTS__ */
export function doc(_text: string): undefined {
  return undefined;
}

/* @__NO_SIDE_EFFECTS__ */
export function shown(_schemas: unknown): undefined {
  return undefined;
}

/* @__NO_SIDE_EFFECTS__ */
export function described<S>(schema: S, _as: unknown): S {
  return schema;
}

/* @__NO_SIDE_EFFECTS__ */
export function like(_schema: unknown): undefined {
  return undefined;
}
