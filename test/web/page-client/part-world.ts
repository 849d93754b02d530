import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import type { Funnel, Lead } from '../../../web/page-client/funnel.d.mts';

/** A `Funnel` with only the functions that the parts of the page client call. */
export const createFunnelStub = (lead: () => Lead | undefined = () => ({ id: 'lead-1', update_token: 'token-1' })) =>
  ({
    lead: async () => lead(),
    urlOf: (path: string) => `https://api.example${path.replace('{id}', 'funnel-1')}`,
  }) as Funnel;

/**
 * Replaces the global `addEventListener` and the timers until the end of the test file. `goOnline` raises the event
 * `online`.
 */
export function usePage(): { goOnline(): void } {
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.useFakeTimers();
  afterEach(() => vi.clearAllTimers());
  afterAll(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  return { goOnline: () => void page.dispatchEvent(new Event('online')) };
}

/** The response to a request. Undefined: the connection breaks. */
type Respond = () => Response | Promise<Response> | undefined;

/**
 * Replaces `fetch`.
 *
 * @param record converts a request to its entry in `requests`
 * @param delayMs time until the response
 */
export function useService<Recorded>(record: (url: string, init: RequestInit) => Recorded, delayMs = 0) {
  const requests: Recorded[] = [];
  let responses: Respond[] = [];
  beforeEach(() => {
    requests.length = 0;
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      requests.push(record(url, init));
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      const response = await (responses.length > 1 ? responses.shift() : responses[0])?.();
      if (!response) throw new TypeError('Failed to fetch');
      return response;
    });
  });
  return {
    requests,
    /** Sets the responses to the next requests. The last response is repeated. */
    respond(...given: Respond[]): void {
      responses = given;
    },
  };
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

export const apiError = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json(status, { error: { code, message: 'A message.' } }, headers);

/** The login page with which a network, for example of a hotel, responds to every request. */
export const loginPage = (): Response =>
  new Response('<html>Log in</html>', { headers: { 'Content-Type': 'text/html' } });

/** Advances the clock, and lets responses arrive. */
export const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Advances the clock until the promise is settled, by at most 10 seconds. */
export async function settle<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const done = () => {
    isSettled = true;
  };
  promise.then(done, done);
  for (let count = 0; count < 100 && !isSettled; count += 1) await advance(100);
  return promise;
}
