const ATTEMPTS = 10;
const LONGEST_WAIT_MS = 8_000;
const TIMEOUT_MS = 15_000;

/** No attempt got a final response. The service may have processed a request nevertheless. */
export class Unreachable extends Error {}

const isSettled = ({ status }) => status !== 429 && status < 500;

/**
 * Repeats an attempt until there is a final response. The delays between attempts increase, and are at least
 * `Retry-After`. A delay ends early when the browser goes online.
 *
 * @param attempt returns {status, body, retryAfterMs}, or undefined without a response
 * @param isFinal returns whether a response is final. Default: every status below 500 except 429
 * @param onWait called before each delay with its length in milliseconds
 * @throws Unreachable, or the signal's reason
 */
export async function untilAnswered(
  attempt,
  { attempts = ATTEMPTS, isFinal = isSettled, onWait = () => undefined, signal } = {},
) {
  for (let count = 1; count <= attempts; count += 1) {
    const answer = await attempt();
    signal?.throwIfAborted();
    if (answer && isFinal(answer)) return answer;
    if (count === attempts) break;
    const waitMs = pauseBefore(count + 1, answer?.retryAfterMs);
    onWait(waitMs);
    await pause(waitMs, signal);
  }
  throw new Unreachable('The service did not answer.');
}

/** Sends the same bytes and headers with each attempt. @param options see `untilAnswered` */
export function sendUntilAnswered(url, init, options) {
  return untilAnswered(() => send(url, init, options?.signal), options);
}

/** Posts JSON while a visitor waits. Retries at most twice, after a missing response or a status of at least 502. */
export function askNow(url, body, options) {
  // Messages of the service are in the language of the page, not of the browser.
  const headers = { 'Content-Type': 'application/json', 'Accept-Language': document.documentElement.lang };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return sendUntilAnswered(url, init, { attempts: 3, isFinal: ({ status }) => status < 502, ...options });
}

/** The delay before an attempt (2 is the first retry). It doubles, with jitter against simultaneous retries. */
export function pauseBefore(attempt, retryAfterMs) {
  const growing = Math.min(LONGEST_WAIT_MS, 400 * 2 ** (attempt - 2));
  return Math.max(retryAfterMs ?? 0, growing * (0.75 + Math.random() / 2));
}

/** Converts a `Retry-After` header in seconds to milliseconds; 0 if there is none. */
export const retryAfterMsOf = (header) => 1_000 * Number(header ?? 0) || 0;

async function send(url, init, signal) {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    const body = await response.json().catch(() => ({}));
    return { status: response.status, body, retryAfterMs: retryAfterMsOf(response.headers.get('Retry-After')) };
  } catch {
    return undefined;
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    signal?.addEventListener('abort', done);
    function done() {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal?.removeEventListener('abort', done);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
