import type * as z from 'zod/mini';

/**
 * Parses stored JSON. Replaces the parser's error, because that error quotes the text, and transcripts must not reach
 * the log.
 *
 * @param what names the text in the error message
 * @throws Error for invalid JSON, ZodError for JSON that does not match the schema
 */
export function parseStoredJson<T>(schema: z.ZodMiniType<T>, text: string, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${what} is not valid JSON.`);
  }
  return schema.parse(value);
}
