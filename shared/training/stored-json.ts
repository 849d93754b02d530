import type * as z from 'zod/mini';

/**
 * What a text of ours holds. The parser's own error quotes the text, and what somebody said belongs in no log.
 *
 * @param what names the text in the error
 * @throws Error when it is no JSON, ZodError when it is of another shape
 */
export function parseStoredJson<T>(schema: z.ZodMiniType<T>, text: string, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${what} is no JSON.`);
  }
  return schema.parse(value);
}
