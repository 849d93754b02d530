import * as z from 'zod/mini';

/*
 * Documentation for the OpenAPI document, written beside the schemas. Functions don't need it, so the bundler replaces
 * this file by `infra/bundles/no-docs.ts`.
 */

/** Joins the lines of a text for the OpenAPI document. */
export const docText = (...lines: readonly string[]): string => lines.join(' ');

/** Marks a schema or an example that only the OpenAPI document uses. Nothing is validated against it. */
export const docsOnly = <const S>(what: S): S => what;

/** JSON Schema keywords such as `format` and `minLength`. */
type Keywords = z.core.GlobalMeta;

/**
 * Returns a copy of the schema with a description or JSON Schema keywords. The keywords are not zod checks, because zod
 * can't derive other schemas from an object schema with checks.
 */
export function withDocs<S extends z.ZodMiniType>(schema: S, docs: string | Keywords): S {
  const documented = schema.clone(undefined, { parent: true });
  z.globalRegistry.add(documented, typeof docs === 'string' ? { description: docs } : docs);
  return documented;
}

/** Returns the keywords of `schema`, which document another schema that accepts more values than `schema`. */
export const documentedLike = (schema: z.ZodMiniType): Keywords => ({
  get allOf() {
    const { $schema: _dialect, ...keywords } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return [keywords];
  },
});
