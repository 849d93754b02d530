import { vi } from 'vitest';
import type { Funnel, Lead } from '../../../web/page-client/funnel.d.mts';

/** The part of a funnel that the lazily loaded parts use. */
export const createFunnelStub = (lead: () => Lead | undefined = () => ({ id: 'lead-1', update_token: 'token-1' })) =>
  ({
    lead: async () => lead(),
    urlOf: (path: string) => `https://api.example${path.replace('{id}', 'funnel-1')}`,
  }) as Funnel;

/** Replaces the globals of a page, with fake timers. */
export function usePage(): { goOnline(): void } {
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.useFakeTimers();
  return { goOnline: () => void page.dispatchEvent(new Event('online')) };
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

export const apiError = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json(status, { error: { code, message: 'A message.' } }, headers);

/** A network's login page. */
export const loginPage = (): Response =>
  new Response('<html>Log in</html>', { headers: { 'Content-Type': 'text/html' } });

/** Advances the clock, and lets responses arrive. */
export const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Advances the clock until the promise is settled. */
export async function settle<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const done = () => {
    isSettled = true;
  };
  promise.then(done, done);
  for (let count = 0; count < 100 && !isSettled; count += 1) await advance(100);
  return promise;
}
