import * as z from 'zod/mini';
import { tryParseJson } from '../common/parse-json.ts';
import { errorCode, UserError } from '../common/user-error.ts';

const REQUEST_MS = 15_000;
/** Looks like the user agent of a browser, because the analytics exclude events of bots. */
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 tributary-smoke';

const ApiError = z.object({ error: z.object({ code: z.string() }) });

export type Request = { method?: 'GET' | 'POST'; body?: unknown; token?: string | undefined };

/**
 * @param path path of the URL, which begins with `/api/v2/`
 * @throws UserError if the API cannot be reached or does not respond in time
 */
export async function send(api: string, path: string, { method, body, token }: Request = {}): Promise<Response> {
  const headers = {
    'user-agent': USER_AGENT,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  try {
    return await fetch(`${api}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
  } catch (cause) {
    const reason =
      errorCode(cause instanceof Error ? cause.cause : undefined) ?? `no response within ${REQUEST_MS / 1_000} s`;
    throw new UserError(`${api} cannot be reached (${reason}).`, { cause });
  }
}

/** Returns the body of a response. @throws Error if the response has another status or the schema rejects the body */
export async function bodyOf<T>(response: Response, status: number, schema: z.ZodMiniType<T>): Promise<T> {
  const text = await response.text();
  const parsed = schema.safeParse(tryParseJson(text));
  if (response.status === status && parsed.success) return parsed.data;
  const reason =
    response.status === status
      ? `Unexpected body with status ${status}`
      : `Expected status ${status}, got ${response.status}`;
  throw new Error(`${reason} (request ${requestIdOf(response)}): ${shortened(text)}`);
}

/** @throws Error if the response has another status or another error code */
export async function expectError(response: Response, status: number, code: string): Promise<void> {
  const { error } = await bodyOf(response, status, ApiError);
  if (error.code !== code)
    throw new Error(`Expected the error code ${code}, got ${error.code} (request ${requestIdOf(response)}).`);
}

export const requestIdOf = ({ headers }: Response): string => headers.get('x-request-id') ?? 'without an id';

const shortened = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)} …` : text);
