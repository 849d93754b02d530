import * as z from 'zod/mini';

/*
 * What the API's description says of a schema is written beside it and read by OpenAPI alone: the bundler puts
 * `no-doc.ts` in this file's place, so that no function carries it.
 */

/** A text of the API's description. */
export const doc = (text: string): string => text;

/** Schemas that the description shows and no request is checked against. */
export const shown = <S>(schemas: S): S => schemas;

/** What JSON Schema says besides a text: `format`, `minLength` and the like. */
type Keywords = z.core.GlobalMeta;

/** A schema with its text, or with other keywords. It is a schema of its own: the given one stays as it is. */
export const described = <S extends z.ZodMiniType>(schema: S, as: string | Keywords): S =>
  schema.check(typeof as === 'string' ? z.describe(as) : z.meta(as));

/** Has a schema that takes more described as another one. */
export const like = (schema: z.ZodMiniType): Keywords => ({
  get allOf() {
    const { $schema: _dialect, ...keywords } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return [keywords];
  },
});
