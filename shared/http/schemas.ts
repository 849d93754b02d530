import * as z from 'zod/mini';
import { normalizeText } from '../platform/normalize-text.ts';
import { HTTP_ERROR_CODES } from './errors.ts';
import { findIntendedName } from './misspellings.ts';
import { docText, withDocs } from './schema-docs.ts';

/** An identifier chosen by the client: well-formed Unicode, `min` to `max` code points, not normalized. */
export const opaqueString = (min: number, max: number) => sized(z.string(), min, max);

/** Text written by people: NFC, trimmed, well-formed Unicode, `min` to `max` code points. */
export const humanText = (min: number, max: number) => sized(z.pipe(z.string(), z.transform(normalizeText)), min, max);

const sized = <S extends z.ZodMiniType<string>>(schema: S, min: number, max: number) =>
  withDocs(
    schema.check(
      z.refine((value) => hasCodePoints(value, min, max), { message: `must have ${min} to ${max} characters` }),
      z.refine((value) => value.isWellFormed(), { message: 'must not contain half of a surrogate pair' }),
    ),
    { minLength: min, maxLength: max },
  );

function hasCodePoints(value: string, min: number, max: number): boolean {
  if (value.length < min || value.length > 2 * max) return false;
  let count = 0;
  for (const _ of value) count++;
  return count >= min && count <= max;
}

/** A UUID of any version, converted to lower case so that equal ids are equal strings. */
export const uuid = withDocs(
  z.pipe(
    z
      .string()
      .check(
        z.regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, 'must be a UUID'),
      ),
    z.transform((value) => value.toLowerCase()),
  ),
  { format: 'uuid' },
);

export type JsonObject = { [key: string]: unknown };

const isPlainObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A free-form JSON object. It is not copied, so that keys such as `__proto__` are kept as data. */
export const jsonObject = () =>
  withDocs(z.custom<JsonObject>(isPlainObject, 'must be an object'), { type: 'object', additionalProperties: true });

/** An object without unknown properties. For a misspelled name, the error suggests the declared name. */
export const strictObject = <S extends z.core.$ZodLooseShape>(shape: S) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownProperties(issue.keys, Object.keys(shape)) : undefined,
  });

/** A `strictObject` for the body of a PATCH request. It must have at least one property. */
export const changesObject = <S extends z.core.$ZodLooseShape>(shape: S) =>
  strictObject(shape).check(z.refine((changes) => Object.keys(changes).length > 0, 'must have at least one property'));

const UNKNOWN_PROPERTIES_LISTED_MAX = 5;

function unknownProperties(given: readonly string[], known: readonly string[]): string {
  const listed = given.slice(0, UNKNOWN_PROPERTIES_LISTED_MAX).map((name) => {
    const intended = findIntendedName(name, known);
    return name.slice(0, 64) + (intended === undefined ? '' : ` (use ${intended})`);
  });
  return `has unknown properties: ${listed.join(', ')}`;
}

export const ErrorCode = withDocs(z.enum(HTTP_ERROR_CODES), { id: 'ErrorCode' });

export const ApiError = withDocs(z.object({ error: z.object({ code: ErrorCode, message: z.string() }) }), {
  id: 'ApiError',
  description: docText('`code` identifies the kind of error; `message` explains it to a developer.'),
});
