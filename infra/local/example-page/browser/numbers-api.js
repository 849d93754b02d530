const TIMEOUT_MS = 10_000;

/**
 * Reads a funnel's numbers. The browser caches each response and revalidates it (`If-None-Match`), so that a response
 * with unchanged numbers has no body (304).
 */
export function numbersApi({ baseUrl, organization, funnelId, token }) {
  const base = `${baseUrl}/api/v2/organizations/${organization.id}/funnels/${funnelId}/analytics`;
  /** @returns the JSON as text, so that callers can detect changes @throws Unreadable */
  return async function read(name, query) {
    let response;
    try {
      response = await fetch(`${base}/${name}?${query}`, {
        headers: { Authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.ok) return await response.text();
    } catch (cause) {
      throw new Unreadable('The service can’t be reached at the moment. Trying again every few seconds.', { cause });
    }
    const { error } = await response.json().catch(() => ({}));
    const retryAfterMs = 1_000 * Number(response.headers.get('Retry-After') ?? 0);
    throw new Unreadable(wordsFor(response.status, error), { retryAfterMs, final: response.status === 400 });
  };
}

/** A message for the user, and the minimum time before the next request. */
export class Unreadable extends Error {
  constructor(words, { cause, retryAfterMs = 0, final = false }) {
    super(words, { cause });
    this.retryAfterMs = retryAfterMs;
    /** Whether a retry is useless, because the request is invalid. */
    this.final = final;
  }
}

function wordsFor(status, error) {
  if (status === 401)
    return 'The demo token has expired. Start the demo again to get a new one, then reload this page.';
  if (status === 403) return 'This token may not read the numbers of this organization.';
  if (status === 429) return 'Too many reads in this minute. The page continues in a moment.';
  return `The numbers could not be read. ${error?.message ?? `The service responded with status ${status}.`}`;
}
