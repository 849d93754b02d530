import { type Attribution, readAttribution } from './attribution.ts';
import type { Consent } from './consent.ts';
import { type DeviceState, denyIn, type EventRow, emptyState, resetIn } from './device-state.ts';
import type { EventFields } from './funnel.d.mts';
import type { Journal } from './journal.ts';
import { randomId } from './random-id.ts';
import { createRetryLoop } from './retry-loop.ts';
import { type Backoff, backOff, remainingMs } from './retry-schedule.ts';
import { continueSession } from './session.ts';
import type { StateStorage } from './storage.ts';
import type { TabLock } from './tab-lock.ts';
import { isTemporary, type Post } from './transport.ts';

const BATCH_EVENTS_MAX = 50;
const BATCH_BYTES_MAX = 48 * 1024;
/** The service rejects larger events. */
const EVENT_BYTES_MAX = 32 * 1024;
const PENDING_EVENTS_MAX = 500;
const QUIET_MS = 300;

/** An event that does not belong to a session yet. */
export type TrackedEvent = {
  eventId: string;
  atMs: number;
  type: string;
  fields: EventFields;
  attribution: Attribution;
  /**
   * If no session is active, the event starts a session with this id. Until this session has started, all events of the
   * tab have the same `nextSessionId`.
   */
  nextSessionId: string;
  /** If the page was hidden before the event was stored: the row that was sent. Retries must send the same row. */
  row?: EventRow;
};

export type EventQueuePorts = {
  url: string;
  /** The first event has this URL, even if a single-page application has changed the page's URL before the event. */
  landingUrl?: string | undefined;
  storage: StateStorage;
  journal: Journal<TrackedEvent>;
  lock: TabLock;
  consent: Consent;
  /** Whether the journal may contain events of earlier pages. If false, it contains only events of open tabs. */
  isReturning: boolean;
  /** Whether events contain a random id of this device. */
  hasVisitorId: boolean | undefined;
  post: Post;
  /** For browsers without `keepalive`. Sends a request when the page is hidden, and gets no response. */
  sendBeacon?: ((url: string, body: string) => boolean) | undefined;
  warn(message: string, detail: unknown): void;
};

/**
 * Delivers events. With consent, an event is stored when it is tracked. It is deleted when the service has acknowledged
 * it. All tabs share the stored events. The service counts an event once, even if it is sent several times.
 */
export function createEventQueue(ports: EventQueuePorts) {
  const { url, storage, journal, lock, consent, hasVisitorId, post, sendBeacon, warn } = ports;
  let landingUrl = consent.state() === 'denied' ? undefined : ports.landingUrl;
  /** Events before the visitor has decided. */
  let pending: TrackedEvent[] = [];
  /** Copies of this tab's stored events. When the page is hidden, there is no time to read the storage. */
  const unacknowledged = new Map<string, EventRow>();
  /** This tab's events whose transaction has not ended. */
  const unstored = new Map<string, TrackedEvent>();
  /** The state after the latest transaction of this tab. */
  let known = storage.isNew() ? emptyState() : undefined;
  let isResetStored = true;
  let nextSessionId: string | undefined;
  const inFlight = new Set<string>();
  let backoff: Backoff | undefined;
  let batchEventsMax = BATCH_EVENTS_MAX;

  const update = async <T>(change: (state: DeviceState) => T): Promise<T> => {
    const { result, state } = await storage.update((state) => {
      const result = change(state);
      // Deletes this tab's copies of events that another tab has sent or deleted.
      const stored = new Set(state.events.map(({ eventId }) => eventId));
      for (const eventId of unacknowledged.keys()) if (!stored.has(eventId)) unacknowledged.delete(eventId);
      backoff = state.eventBackoff;
      return { result, state };
    });
    known = isResetStored ? state : undefined;
    if (state.session?.id === nextSessionId) nextSessionId = undefined;
    return result;
  };

  /** Appends a row for each event that is not in `state` yet. @returns these rows */
  function append(state: DeviceState, events: readonly TrackedEvent[]): EventRow[] {
    const rows: EventRow[] = [];
    for (const event of events) {
      if (state.events.some(({ eventId }) => eventId === event.eventId)) continue;
      state.session = continueSession(state.session, event.atMs, event.attribution, event.nextSessionId);
      state.visitorId = hasVisitorId ? (state.visitorId ?? randomId()) : undefined;
      const row = event.row ?? toRow(event, state);
      if (bytesOf(row) > EVENT_BYTES_MAX) {
        warn('An event has more than 32 KiB and is not sent.', row);
        continue;
      }
      state.events.push(row);
      rows.push(row);
    }
    return rows;
  }

  function keepCopies(rows: readonly EventRow[]): void {
    for (const row of rows) unacknowledged.set(row.eventId, row);
  }

  /** Keeps events in the journal until their transaction has ended. */
  function store(events: readonly TrackedEvent[], change: (state: DeviceState) => EventRow[]): Promise<void> {
    const updated = update(change);
    for (const event of events) {
      journal.add(event);
      unstored.set(event.eventId, event);
    }
    return updated.then((rows) => {
      keepCopies(rows);
      for (const { eventId } of events) unstored.delete(eventId);
      journal.remove(events);
    });
  }

  /** The rows of events whose transaction has not ended. The transaction or the next page will store the same rows. */
  function unstoredRows(): EventRow[] {
    // Sends nothing if the state is unknown or consent is denied. Also sends nothing before the visitor id is stored.
    // Otherwise, the next page would create another visitor id.
    if (!known || known.isDenied || (hasVisitorId && !known.visitorId)) return [];
    const rows = append({ ...known, events: [] }, [...unstored.values()]);
    for (const row of rows) {
      const event = unstored.get(row.eventId) as TrackedEvent;
      event.row = row;
      journal.add(event);
    }
    return rows;
  }

  // Stores the events of pages that ended before their events were stored.
  if (ports.isReturning && journal.read().length > 0) {
    const adopted = update((state) => {
      // Read again, because a denial may have removed entries meanwhile.
      const recovered = journal.read();
      return { recovered, rows: state.isDenied ? [] : append(state, recovered) };
    });
    void adopted.then(({ recovered, rows }) => {
      keepCopies(rows);
      journal.remove(recovered);
    });
  }

  const flushAfter = createRetryLoop(lock, async () => {
    const next = await update((state) => {
      if (!consent.allows(state)) return [];
      const waitMs = remainingMs(state.eventBackoff, Date.now());
      const rows = state.events.filter(({ eventId }) => !inFlight.has(eventId));
      return waitMs > 0 && rows.length > 0 ? waitMs : takeBatch(rows, batchEventsMax);
    });
    if (typeof next === 'number') return next;
    // Consent may have been denied during the transaction.
    return next.length > 0 && consent.state() === 'granted' ? send(next) : undefined;
  });

  /** @returns milliseconds until the next batch; undefined if no batch follows */
  async function send(batch: readonly EventRow[], isHiding = false): Promise<number | undefined> {
    for (const { eventId } of batch) inFlight.add(eventId);
    const response = await post(url, JSON.stringify({ events: batch }), {
      // With `keepalive`, a request continues after the page has ended. In some browsers, such requests fail more
      // often. Therefore, a visible page sends retries without `keepalive`.
      keepalive: isHiding || !backoff,
      // This content type needs no preflight. If the page ends during a preflight, the request is not sent.
      headers: { 'Content-Type': 'text/plain' },
    });
    for (const { eventId } of batch) inFlight.delete(eventId);
    return update((state) => {
      const isAcknowledged = response?.status === 200 && typeof response.body?.received === 'number';
      // After a 400 or 413, the API has accepted no event of the batch. The next batches have one event each, so that
      // only invalid events are dropped.
      const isRefused = !isTemporary(response) && (response?.status === 400 || response?.status === 413);
      if (isAcknowledged || (isRefused && batch.length === 1)) {
        for (const { index, message } of response?.body.rejected ?? []) warn(message, batch[index]);
        if (isRefused) warn('An event is refused.', batch[0]);
        const settled = new Set(batch.map(({ eventId }) => eventId));
        state.events = state.events.filter(({ eventId }) => !settled.has(eventId));
        state.eventBackoff = undefined;
        if (isAcknowledged && state.events.length === 0) batchEventsMax = BATCH_EVENTS_MAX;
      } else if (isRefused) batchEventsMax = 1;
      else {
        state.eventBackoff = backOff(state.eventBackoff, response?.retryAfterMs ?? 0, Date.now());
        if (!isTemporary(response))
          warn('Events are refused. Check the funnel id and the allowed origins.', response?.body.error);
      }
      if (state.events.length === 0 || !consent.allows(state)) return undefined;
      return remainingMs(state.eventBackoff, Date.now());
    });
  }

  return {
    track(type: string, fields: EventFields): void {
      if (consent.state() === 'denied') return;
      const attribution = readAttribution(landingUrl ?? location.href, document.referrer);
      landingUrl = undefined;
      nextSessionId ??= randomId();
      const event = { eventId: randomId(), atMs: Date.now(), type, fields, attribution, nextSessionId };
      if (consent.state() === 'pending') {
        pending = [...pending, event].slice(-PENDING_EVENTS_MAX);
        return;
      }
      void store([event], (state) => (consent.allows(state) ? append(state, [event]) : []));
      flushAfter(unacknowledged.size < BATCH_EVENTS_MAX ? QUIET_MS : 0);
    },
    grant(): void {
      if (!consent.grant()) return;
      const events = pending;
      pending = [];
      const stored = store(events, (state) => {
        // Deletes events that were tracked during the denial, by pages that had not read the denial yet.
        if (state.isDenied) journal.remove(journal.read());
        const rows = state.isDenied || consent.state() !== 'granted' ? [] : append(state, events);
        delete state.isDenied;
        return rows;
      });
      void stored.then(consent.grantStored);
      flushAfter(0);
    },
    /** Deletes this tab's events in memory, and all events in the journal. Call it after each denial. */
    discard(): void {
      landingUrl = undefined;
      pending = [];
      unacknowledged.clear();
      unstored.clear();
      journal.remove(journal.read());
    },
    deny(): void {
      consent.deny();
      storage.noteDenial();
      void update(denyIn);
    },
    /** After a reset, the next event starts a new session, and the next submit creates a new lead. */
    reset(): Promise<void> {
      pending = [];
      nextSessionId = undefined;
      known = undefined;
      isResetStored = false;
      storage.noteReset();
      return update((state) => {
        isResetStored = true;
        resetIn(state);
      });
    },
    /** Adopts an earlier page's denial. @returns the numbers of stored events and submits */
    load: () =>
      update((state) => {
        consent.allows(state);
        return [state.events.length, state.submits.length] as const;
      }),
    flush: () => flushAfter(0),
    /** Sends this tab's events now, because the page may end. The events stay stored until they are acknowledged. */
    flushAtHiding(): void {
      // Waits only if the service has sent `Retry-After`, because the page may end during the wait.
      const waitMs = backoff?.isRequested ? remainingMs(backoff, Date.now()) : 0;
      if (consent.state() !== 'granted' || waitMs > 0) return;
      let rows = [...unacknowledged.values(), ...unstoredRows()].filter(({ eventId }) => !inFlight.has(eventId));
      while (rows.length > 0) {
        const batch = takeBatch(rows, BATCH_EVENTS_MAX);
        if (sendBeacon) sendBeacon(url, JSON.stringify({ events: batch }));
        else void send(batch, true);
        rows = rows.slice(batch.length);
      }
    },
    /** Deletes this tab's copies of stored events, which may be outdated after the back/forward cache. */
    forgetCopies: () => unacknowledged.clear(),
  };
}

function toRow({ eventId, atMs, type, fields, attribution }: TrackedEvent, state: DeviceState): EventRow {
  const { payload, ...members } = fields;
  const lead = state.handles[state.lead ?? ''];
  return {
    eventId,
    sessionId: state.session?.id ?? eventId,
    timestamp: new Date(atMs).toISOString(),
    language: navigator.language,
    ...(state.session?.attribution ?? attribution),
    ...members,
    payload: {
      ...payload,
      type,
      // With the lead id, an operator can erase the session together with the lead.
      ...(lead && { lead_id: lead.id }),
      ...(state.visitorId && { visitor_id: state.visitorId }),
    },
  };
}

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

function takeBatch(rows: readonly EventRow[], countMax: number): EventRow[] {
  let bytes = bytesOf({ events: [] });
  const end = rows.findIndex((row, index) => {
    bytes += bytesOf(row) + 1;
    return index === countMax || bytes > BATCH_BYTES_MAX;
  });
  return rows.slice(0, end < 0 ? undefined : end);
}
