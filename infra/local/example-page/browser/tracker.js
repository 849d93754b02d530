import { pauseBefore } from './request.js';

const BATCH_EVENTS = 50;
const QUEUE_EVENTS = 500;
const LINGER_MS = 300;

/**
 * Sends the page's events in small batches. An event stays in the queue until the service has acknowledged or rejected
 * it. Repeated events are harmless, because each event keeps its id.
 *
 * @param events the queue, which is part of the visit and survives reloads
 * @param describe returns the common fields of every event: session, funnel, page, campaign, and common payload
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

  /** Sends a beacon when the visitor leaves. As text/plain, it needs no preflight. Its events stay queued. */
  function leave() {
    if (events.length > 0) navigator.sendBeacon(url, JSON.stringify({ events: events.slice(0, BATCH_EVENTS) }));
  }

  addEventListener('pagehide', leave);
  addEventListener('online', () => schedule(0));
  if (events.length > 0) schedule(0);

  return {
    /** @param type `view`, `start`, `step_view`, `step_submit` or `complete` */
    track(type, { payload, ...members } = {}) {
      const { payload: shared, ...visit } = describe();
      events.push({
        eventId: crypto.randomUUID(),
        timestamp: new Date().toISOString(),
        ...visit,
        ...members,
        payload: { type, ...shared, ...payload },
      });
      // During a long outage, keep the newest events.
      if (!sending) events.splice(0, events.length - QUEUE_EVENTS);
      save();
      if (failures === 0) schedule(LINGER_MS);
    },
  };
}

/** Sends a batch once. A batch with a 4xx other than 429 is not retried, so that it does not block later batches. */
async function post(url, events) {
  const body = JSON.stringify({ events });
  try {
    const response = await fetch(url, {
      method: 'POST',
      // Browsers reject keepalive requests with bodies of more than 64 KiB in total.
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
