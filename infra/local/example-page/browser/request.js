const ATTEMPTS = 10;
const LONGEST_WAIT_MS = 8_000;
const TIMEOUT_MS = 15_000;

/** Thrown when the service gave no usable answer to any attempt. Nothing is known about what it did with the last one. */
export class Unreachable extends Error {}

const isSettled = ({ status }) => status !== 429 && status < 500;

/**
 * Repeats an attempt until the service has answered for good, with growing pauses or after what `Retry-After` says; coming back
 * online ends a pause early.
 *
 * @param attempt gives {status, body, retryAfterMs}, or undefined where no answer came
 * @param isFinal which answers end it: by default every status below 500 other than 429
 * @param onWait called before each pause with its length in milliseconds
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

/** Sends the same bytes and headers with each attempt. @param options those of `untilAnswered` */
export function sendUntilAnswered(url, init, options) {
  return untilAnswered(() => send(url, init, options?.signal), options);
}

/** Posts JSON where a visitor waits for the answer: only what may never have arrived is repeated, and not for long. */
export function askNow(url, body, options) {
  // A message that this makes the service send is in the language of the page, whatever that of the browser.
  const headers = { 'Content-Type': 'application/json', 'Accept-Language': document.documentElement.lang };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return sendUntilAnswered(url, init, { attempts: 3, isFinal: ({ status }) => status < 502, ...options });
}

/** How long to wait before an attempt (2 is the first repeat): doubling, with chance in it so that visitors don't come back in step. */
export function pauseBefore(attempt, retryAfterMs) {
  const growing = Math.min(LONGEST_WAIT_MS, 400 * 2 ** (attempt - 2));
  return Math.max(retryAfterMs ?? 0, growing * (0.75 + Math.random() / 2));
}

/** What a `Retry-After` in seconds says; 0 where there is none. */
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
