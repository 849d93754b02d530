const ATTEMPTS = 10;
const LONGEST_WAIT_MS = 8_000;
const TIMEOUT_MS = 15_000;

/** Thrown when the service gave no usable answer to any attempt. Nothing is known about what it did with the last one. */
export class Unreachable extends Error {}

/**
 * Sends a request until the service has answered for good: network failures, 429 and 5xx are tried again with growing pauses, or
 * after what `Retry-After` says; coming back online ends a pause early. Sends the same bytes and headers each time.
 *
 * @param onWait called before each pause with its length in milliseconds
 * @returns {Promise<{status: number, body: any}>} any status below 500 other than 429
 */
export async function sendUntilAnswered(url, init, onWait = () => undefined) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const answer = await send(url, init);
    if (answer && answer.status !== 429 && answer.status < 500) return answer;
    if (attempt === ATTEMPTS) break;
    const waitMs = pauseBefore(attempt + 1, answer?.retryAfterMs);
    onWait(waitMs);
    await pause(waitMs);
  }
  throw new Unreachable('The service did not answer.');
}

/** How long to wait before an attempt (2 is the first repeat): doubling, with chance in it so that visitors don't come back in step. */
export function pauseBefore(attempt, retryAfterMs) {
  const growing = Math.min(LONGEST_WAIT_MS, 400 * 2 ** (attempt - 2));
  return Math.max(retryAfterMs ?? 0, growing * (0.75 + Math.random() / 2));
}

async function send(url, init) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body = await response.json().catch(() => ({}));
    return {
      status: response.status,
      body,
      retryAfterMs: 1_000 * Number(response.headers.get('Retry-After') ?? 0) || 0,
    };
  } catch {
    return undefined;
  }
}

function pause(ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    function done() {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve();
    }
  });
}
