import type { LeadHandle } from './funnel.d.mts';

/** A response with a JSON body. It may come from a proxy instead of the API: see `isTemporary`. */
export type ApiResponse<Data = LeadHandle> = { status: number; body: ApiBody<Data>; retryAfterMs: number };

type ApiBody<Data> = {
  received?: number;
  rejected?: { index: number; message: string }[];
  data?: Data;
  error?: { code: string; message: string; validation_errors?: unknown };
};

export type Post = (url: string, body: string, init?: RequestInit) => Promise<ApiResponse | undefined>;

const TIMEOUT_MS = 15_000;

/**
 * Sends one request without credentials, because the service needs no cookies. Never throws.
 *
 * @returns undefined without a response, or if its body is not JSON
 */
export async function post<Data = LeadHandle>(
  url: string,
  body: string,
  init?: RequestInit,
): Promise<ApiResponse<Data> | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...init, method: 'POST', body, credentials: 'omit', signal });
    return {
      status: response.status,
      // Proxies and networks with a login page can respond with their own page. `json()` throws for such a page.
      body: await response.json(),
      retryAfterMs: parseRetryAfter(response.headers.get('Retry-After')),
    };
  } catch {
    return undefined;
  }
}

/** Converts `Retry-After`, a number of seconds or an HTTP date, to milliseconds from now. Without a valid header: 0. */
export const parseRetryAfter = (header: string | null): number =>
  header ? Math.max(0, Number(header) * 1_000 || Date.parse(header) - Date.now() || 0) : 0;

/** Whether a failed request can succeed later: the status is 429 or 5xx, or the response is not from the API. */
export const isTemporary = (response: ApiResponse | undefined): boolean =>
  response?.body?.error === undefined || response.status === 429 || response.status >= 500;
