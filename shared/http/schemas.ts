import * as z from 'zod/mini';
import { normalizeText } from '../platform/normalize-text.ts';
import { HTTP_ERROR_CODES } from './errors.ts';
import { findIntendedName } from './misspellings.ts';
import { docText, withDocs } from './schema-docs.ts';

/** An identifier of the caller's own, left as it is: well-formed, `min` to `max` code points. */
export const opaqueString = (min: number, max: number) => sized(z.string(), min, max);

/** Human text: NFC, trimmed, well-formed, `min` to `max` code points. */
export const humanText = (min: number, max: number) => sized(z.pipe(z.string(), z.transform(normalizeText)), min, max);

const sized = <S extends z.ZodMiniType<string>>(schema: S, min: number, max: number) =>
  withDocs(
    schema.check(
      z.refine((value) => withinCodePoints(value, min, max), { message: `must have ${min} to ${max} characters` }),
      z.refine((value) => value.isWellFormed(), { message: 'must not contain half of a surrogate pair' }),
    ),
    { minLength: min, maxLength: max },
  );

function withinCodePoints(value: string, min: number, max: number): boolean {
  if (value.length < min || value.length > 2 * max) return false;
  let count = 0;
  for (const _ of value) count++;
  return count >= min && count <= max;
}

/** A UUID of any version, lower-cased, so that one thing has one spelling. */
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

/** A free-form object, kept as it came: no key is copied, dropped or given a meaning. */
export const jsonObject = () =>
  withDocs(z.custom<JsonObject>(isPlainObject, 'must be an object'), { type: 'object', additionalProperties: true });

/** An object of an organization route: refuses further members, and names the right spelling of one that is misspelt. */
export const strictObject = <S extends z.core.$ZodLooseShape>(shape: S) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknownMembers(issue.keys, Object.keys(shape)) : undefined),
  });

function unknownMembers(given: readonly string[], known: readonly string[]): string {
  const named = given.slice(0, MEMBERS_NAMED_MAX).map((name) => {
    const meant = findIntendedName(name, known);
    return name.slice(0, 64) + (meant === undefined ? '' : ` (use ${meant})`);
  });
  return `has unknown properties: ${named.join(', ')}`;
}

const MEMBERS_NAMED_MAX = 5;

export const FunnelPath = z.object({ id: uuid });

export const ErrorCode = withDocs(z.enum(HTTP_ERROR_CODES), { id: 'ErrorCode' });

export const ApiError = withDocs(z.object({ error: z.object({ code: ErrorCode, message: z.string() }) }), {
  id: 'ApiError',
  description: docText('What went wrong: a code to switch on and a sentence for a developer.'),
});
