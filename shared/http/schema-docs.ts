import * as z from 'zod/mini';

/*
 * What the API's description says of a schema is written beside it and read by OpenAPI alone: the bundler puts
 * `no-doc.ts` in this file's place, so that no function carries it.
 */

/** A text of the API's description. */
export const docText = (text: string): string => text;

/** Schemas and examples that the description shows and no request is checked against. */
export const docsOnly = <const S>(what: S): S => what;

/** What JSON Schema says besides a text: `format`, `minLength` and the like. */
type Keywords = z.core.GlobalMeta;

/**
 * A schema with its text, or with other keywords. It is a schema of its own: the given one stays as it is. The keywords
 * are not a check, since zod derives no other schema from an object that has one.
 */
export function withDocs<S extends z.ZodMiniType>(schema: S, as: string | Keywords): S {
  const own = schema.clone(undefined, { parent: true });
  z.globalRegistry.add(own, typeof as === 'string' ? { description: as } : as);
  return own;
}

/** Has a schema that takes more described as another one. */
export const documentedLike = (schema: z.ZodMiniType): Keywords => ({
  get allOf() {
    const { $schema: _dialect, ...keywords } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return [keywords];
  },
});
