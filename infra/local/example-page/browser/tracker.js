import { pauseBefore } from './request.js';

const BATCH_EVENTS = 50;
const QUEUE_EVENTS = 500;
const LINGER_MS = 300;

/**
 * Sends what happens on the page in small batches. An event leaves the queue only when the service has acknowledged it; repeats do
 * no harm there, because each event keeps its id.
 *
 * @param events the queue, kept by the visit across reloads
 * @param describe members of every event: session, funnel, page, campaign, and what of the payload they share
 */
export function createTracker({ url, events, save, describe }) {
  let timer;
  let failures = 0;
  let sending = false;

  const schedule = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(flush, ms);
  };

  async function flush() {
    if (sending || events.length === 0) return;
    sending = true;
    const batch = events.slice(0, BATCH_EVENTS);
    const answer = await post(url, batch);
    sending = false;
    if (answer.retry) {
      failures += 1;
      return schedule(pauseBefore(failures + 1, answer.retryAfterMs));
    }
    failures = 0;
    events.splice(0, batch.length);
    save();
    if (events.length > 0) schedule(0);
  }

  /** On the way out there is no time for an answer. A beacon as text/plain needs no preflight; what it carries stays queued. */
  function leave() {
    if (events.length > 0) navigator.sendBeacon(url, JSON.stringify({ events: events.slice(0, BATCH_EVENTS) }));
  }

  addEventListener('pagehide', leave);
  addEventListener('online', () => schedule(0));
  if (events.length > 0) schedule(0);

  return {
    /** @param type view, start, step_view, step_submit or complete */
    track(type, { payload, ...members } = {}) {
      const { payload: shared, ...visit } = describe();
      events.push({
        eventId: crypto.randomUUID(),
        timestamp: new Date().toISOString(),
        ...visit,
        ...members,
        payload: { type, ...shared, ...payload },
      });
      // While the service is away for long, the newest events are the ones worth keeping.
      if (!sending) events.splice(0, events.length - QUEUE_EVENTS);
      save();
      if (failures === 0) schedule(LINGER_MS);
    },
  };
}

/** One attempt. A refusal other than 429 would be refused again: the batch is given up rather than blocking the ones behind it. */
async function post(url, events) {
  const body = JSON.stringify({ events });
  try {
    const response = await fetch(url, {
      method: 'POST',
      // Browsers refuse more than 64 KiB of requests that may outlive the page.
      keepalive: body.length < 60_000,
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    const retryAfterMs = 1_000 * Number(response.headers.get('Retry-After') ?? 0) || 0;
    return { retry: response.status === 429 || response.status >= 500, retryAfterMs };
  } catch {
    return { retry: true, retryAfterMs: 0 };
  }
}
