import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ApiResponse } from '../../../web/page-client/transport.ts';
import { createDevice, fates, type Tab, useBrowserGlobals, visits } from './device-model.ts';

beforeAll(useBrowserGlobals);
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Row = { eventId: string; sessionId: string; payload: { type: string; pad?: string; visitor_id?: string } };

/** Stores events once by their id, as the service does. */
function createService(responseTo?: (rows: Row[]) => ApiResponse | undefined) {
  const events = new Map<string, Row>();
  const batches: Row[][] = [];
  const respond = (body: string): ApiResponse => {
    const rows: Row[] = JSON.parse(body).events;
    batches.push(rows);
    const other = responseTo?.(rows);
    if (other) return other;
    for (const row of rows) {
      const known = events.get(row.eventId);
      if (known) expect(row).toEqual(known);
      events.set(row.eventId, row);
    }
    return { status: 200, body: { received: rows.length }, retryAfterMs: 0 };
  };
  const types = () => [...events.values()].map(({ payload }) => payload.type);
  return { events, batches, respond, types };
}

const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const MINUTES = 60_000;

test('when a page opens again, every earlier event is delivered, even if requests, responses and tabs were lost', async () => {
  const random = fc.asyncProperty(visits('track', 'hide', 'leave'), fates, async (steps, schedule) => {
    const { types, respond } = createService();
    const device = createDevice(respond, schedule);
    const tabs: Tab[] = [device.openTab()];
    const tracked: string[] = [];
    for (const [index, { action, tab, ms }] of steps.entries()) {
      const chosen = tabs[tab % tabs.length];
      if (action === 'open' && tabs.length < 4) tabs.push(device.openTab());
      if ((action === 'track' || action === 'leave') && chosen?.isAlive()) {
        chosen.events.track(`event ${index}`, {});
        tracked.push(`event ${index}`);
      }
      if ((action === 'hide' || action === 'leave') && chosen?.isAlive()) chosen.events.flushAtHiding();
      if (action === 'die') chosen?.die();
      await advance(ms);
    }
    for (const tab of tabs) tab.die();
    device.recover();
    device.openTab();
    await advance(60 * MINUTES);
    expect(types().toSorted()).toEqual(tracked.toSorted());
    expect(device.state().events).toEqual([]);
    vi.clearAllTimers();
  });
  await fc.assert(random, { numRuns: 150 });
});

test('events are sent even if the visitor leaves immediately; the session continues on the next page', async () => {
  const { events, types, respond } = createService();
  const device = createDevice(respond, []);
  const tab = device.openTab();
  await advance(100);
  tab.events.track('view', {});
  tab.events.track('click', {});
  tab.events.flushAtHiding();
  await advance(100);
  expect(types()).toEqual(['view', 'click']);
  tab.die();
  device.openTab().events.track('start', {});
  await advance(1_000);
  expect(types()).toEqual(['view', 'click', 'start']);
  expect(new Set([...events.values()].map(({ sessionId }) => sessionId)).size).toBe(1);
});

test('if the visitor leaves before the page has read its session, the next page sends the event', async () => {
  const { events, batches, types, respond } = createService();
  const device = createDevice(respond, []);
  const first = device.openTab();
  first.events.track('view', {});
  await advance(1_000);
  first.die();
  const tab = device.openTab();
  tab.events.track('click', {});
  tab.events.flushAtHiding();
  await advance(100);
  expect(batches).toHaveLength(1);
  tab.die();
  device.openTab();
  await advance(1_000);
  expect(types()).toEqual(['view', 'click']);
  expect(new Set([...events.values()].map(({ sessionId }) => sessionId)).size).toBe(1);
});

test('on a new device, leaving the page sends the batch; if the response is lost, the next page repeats the batch', async () => {
  const { batches, respond } = createService();
  const device = createDevice(respond, ['loses-response']);
  const tab = device.openTab();
  tab.events.track('view', {});
  tab.events.flushAtHiding();
  await advance(100);
  tab.die();
  const other = device.openTab();
  await advance(10 * MINUTES);
  expect(batches).toHaveLength(2);
  expect(batches[1]).toEqual(batches[0]);
  other.die();
});

test('a retry of an event has the same session id as the first attempt, even if another tab has started a session', async () => {
  const { batches, respond } = createService();
  const device = createDevice(respond, ['loses-response']);
  const tab = device.openTab();
  const other = device.openTab();
  await advance(100);
  other.events.track('start', {});
  await advance(10);
  tab.events.track('view', {});
  tab.events.flushAtHiding();
  await advance(10 * MINUTES);
  const sent = batches.flat().filter(({ payload }) => payload.type === 'view');
  expect(sent.length).toBeGreaterThan(1);
  for (const row of sent) expect(row).toEqual(sent[0]);
});

test('if the visitor leaves before the page knows the visitor id, the next page sends the event', async () => {
  const { events, batches, types, respond } = createService();
  const device = createDevice(respond, []);
  const tab = device.openTab({ hasVisitorId: true });
  await advance(100);
  tab.events.track('view', {});
  tab.events.flushAtHiding();
  await advance(100);
  expect(batches).toEqual([]);
  tab.die();
  device.openTab({ hasVisitorId: true }).events.track('start', {});
  await advance(1_000);
  expect(types()).toEqual(['view', 'start']);
  expect(new Set([...events.values()].map(({ payload }) => payload.visitor_id)).size).toBe(1);
});

test('a stored event is sent when the page is hidden, and is not sent again after its acknowledgement', async () => {
  const { batches, respond } = createService();
  const tab = createDevice(respond, []).openTab();
  await advance(100);
  tab.events.track('view', {});
  await advance(10);
  tab.events.flushAtHiding();
  await advance(1_000);
  tab.events.flushAtHiding();
  await advance(1_000);
  expect(batches.flat()).toHaveLength(1);
});

test('a reset between two events of one task starts another session', async () => {
  const { events, respond } = createService();
  const tab = createDevice(respond, []).openTab();
  tab.events.track('one', {});
  tab.reset();
  tab.events.track('two', {});
  await advance(1_000);
  expect(new Set([...events.values()].map(({ sessionId }) => sessionId)).size).toBe(2);
});

test('an event more than half an hour after the previous event starts a session with a new id', async () => {
  const { events, respond } = createService();
  const tab = createDevice(respond, []).openTab();
  for (const type of ['one', 'two']) {
    tab.events.track(type, {});
    await advance(31 * MINUTES);
  }
  expect(new Set([...events.values()].map(({ sessionId }) => sessionId)).size).toBe(2);
});

test('if an event could not be stored, it is sent when the visitor leaves; the session continues on the next page', async () => {
  const { events, types, respond } = createService();
  const device = createDevice(respond, []);
  const tab = device.openTab();
  await advance(100);
  tab.abortTransactions();
  tab.events.track('view', {});
  await advance(10);
  tab.events.flushAtHiding();
  await advance(100);
  tab.die();
  device.openTab().events.track('start', {});
  await advance(1_000);
  expect(types()).toEqual(['view', 'start']);
  expect(new Set([...events.values()].map(({ sessionId }) => sessionId)).size).toBe(1);
  vi.clearAllTimers();
});

test('if a visitor denies, grants and leaves in one task, earlier events are not sent', async () => {
  const { batches, respond } = createService();
  const tab = createDevice(respond, []).openTab();
  await advance(100);
  tab.events.track('view', {});
  tab.events.deny();
  tab.events.grant();
  tab.events.flushAtHiding();
  await advance(1_000);
  expect(batches).toEqual([]);
});

test('before a page has read a stored denial, it sends no events, even after a grant', async () => {
  const { batches, respond } = createService();
  const device = createDevice(respond, []);
  const earlier = device.openTab();
  earlier.events.deny();
  await advance(100);
  earlier.events.grant();
  earlier.events.track('view', {});
  earlier.die();
  const tab = device.openTab({ consent: 'pending' });
  tab.events.track('click', {});
  await advance(3);
  // The page has read the journal of the earlier page, but does not know of the stored denial yet.
  expect(tab.consent.state()).toBe('pending');
  tab.events.grant();
  tab.events.flushAtHiding();
  await advance(1_000);
  expect(batches).toEqual([]);
});

test('a denial discards unsent events; events during the denial are never sent', async () => {
  const random = fc.asyncProperty(visits('track', 'grant', 'deny', 'hide'), fates, async (steps, schedule) => {
    const { events, respond } = createService();
    const device = createDevice(respond, schedule);
    let tab = device.openTab({ consent: 'pending' });
    const refused = new Set<string>();
    let sinceDecision: string[] = [];
    for (const [index, { action, ms }] of steps.entries()) {
      if (action === 'open') {
        tab.die();
        tab = device.openTab({ consent: 'pending' });
        sinceDecision = [];
      }
      if (!tab.isAlive()) continue;
      if (action === 'track') {
        const type = `event ${index}`;
        if (tab.consent.state() === 'denied') refused.add(type);
        else sinceDecision.push(type);
        tab.events.track(type, {});
      }
      if (action === 'grant') tab.events.grant();
      if (action === 'deny') {
        const unsent = sinceDecision.filter((type) => !device.sent.some(({ body }) => body.includes(`"${type}"`)));
        for (const type of unsent) refused.add(type);
        tab.events.deny();
      }
      if (action === 'hide') tab.events.flushAtHiding();
      await advance(ms);
    }
    device.recover();
    tab.events.grant();
    await advance(60 * MINUTES);
    expect([...events.values()].filter(({ payload }) => refused.has(payload.type))).toEqual([]);
    expect(device.sent.filter(({ consent }) => consent !== 'granted')).toEqual([]);
    vi.clearAllTimers();
  });
  await fc.assert(random, { numRuns: 150 });
});

test('a grant sends the pending events of the page', async () => {
  const { types, respond } = createService();
  const device = createDevice(respond, []);
  const tab = device.openTab({ consent: 'pending' });
  tab.events.track('view', {});
  await advance(5 * MINUTES);
  expect(device.sent).toEqual([]);
  expect(device.stored.events.size).toBe(0);
  tab.events.grant();
  await advance(1_000);
  expect(types()).toEqual(['view']);
});

test('if a page ends right after its grant, its pending events are sent by the next page', async () => {
  const { types, respond } = createService();
  const device = createDevice(respond, []);
  const tab = device.openTab({ consent: 'pending' });
  await advance(100);
  tab.events.track('before', {});
  tab.events.grant();
  tab.events.track('after', {});
  tab.die();
  device.openTab();
  await advance(2_000);
  expect(types()).toEqual(['before', 'after']);
});

test('if a denial is stored, a grant applies only to later events', async () => {
  const { types, respond } = createService();
  const device = createDevice(respond, []);
  device.openTab().events.deny();
  await advance(100);
  const tab = device.openTab({ consent: 'pending' });
  tab.events.track('before', {});
  tab.events.grant();
  tab.die();
  const next = device.openTab({ consent: 'pending' });
  await advance(100);
  next.events.grant();
  await advance(2_000);
  expect(types()).toEqual([]);
});

test('a denial deletes events, session and attribution, but not the lead', async () => {
  const device = createDevice(createService().respond, ['unavailable']);
  const tab = device.openTab();
  void tab.storage.update((state) => {
    state.lead = 'l';
    state.handles.l = { id: 'lead', update_token: 'token', atMs: Date.now() };
  });
  tab.events.track('view', {});
  await advance(1_000);
  expect(device.state()).toMatchObject({ events: [{}], session: { attribution: { utmSource: 'news' } } });
  tab.events.deny();
  await advance(1_000);
  expect(device.state().events).toEqual([]);
  expect(device.state().session).toBeUndefined();
  expect(device.state().handles.l?.id).toBe('lead');
});

test('a denial on an earlier page overrides the initial consent "granted"', async () => {
  const device = createDevice(createService().respond, []);
  device.openTab({ consent: 'pending' }).events.deny();
  await advance(100);
  const next = device.openTab({ consent: 'granted' });
  next.events.track('view', {});
  await advance(1_000);
  expect(next.consent.state()).toBe('denied');
  expect([device.sent, device.state().events]).toEqual([[], []]);
});

test('a batch has at most 50 events and 48 KiB', async () => {
  const { batches, types, respond } = createService();
  const tab = createDevice(respond, []).openTab();
  for (let count = 0; count < 120; count += 1) tab.events.track('small', {});
  for (let count = 0; count < 9; count += 1) tab.events.track('large', { payload: { pad: 'ü'.repeat(7_000) } });
  await advance(10_000);
  expect(types()).toHaveLength(129);
  expect(Math.max(...batches.map((rows) => rows.length))).toBe(50);
  const bytes = batches.map((events) => Buffer.byteLength(JSON.stringify({ events })));
  expect(Math.max(...bytes)).toBeLessThanOrEqual(48 * 1024);
  expect(Math.max(...bytes)).toBeGreaterThan(40 * 1024);
});

test('up to 50 events that are less than 300 ms apart are one batch', async () => {
  const { batches, respond } = createService();
  const tab = createDevice(respond, []).openTab();
  for (let count = 0; count < 5; count += 1) {
    tab.events.track('view', {});
    await advance(200);
  }
  await advance(1_000);
  expect(batches.map((rows) => rows.length)).toEqual([5]);
});

test('two visible tabs send each event only once if all requests succeed', async () => {
  const { batches, respond } = createService();
  const device = createDevice(respond, []);
  const tabs = [device.openTab(), device.openTab()];
  for (let count = 0; count < 40; count += 1) {
    tabs[count % 2]?.events.track('view', {});
    await advance(20);
  }
  await advance(5_000);
  const ids = batches.flat().map(({ eventId }) => eventId);
  expect(ids).toHaveLength(40);
  expect(new Set(ids).size).toBe(40);
});

test('events of two tabs belong to one session', async () => {
  const { events, respond } = createService();
  const device = createDevice(respond, []);
  for (const tab of [device.openTab(), device.openTab()]) tab.events.track('view', {});
  await advance(2_000);
  expect(new Set([...events.values()].map(({ sessionId }) => sessionId)).size).toBe(1);
});

test('a rejected row is dropped, and the other rows of its batch are not sent again', async () => {
  const response = (rows: Row[]): ApiResponse => ({
    status: 200,
    body: { received: rows.length - 1, rejected: [{ index: 0, message: 'bad' }] },
    retryAfterMs: 0,
  });
  const { batches, respond } = createService(response);
  const device = createDevice(respond, []);
  const tab = device.openTab();
  for (let count = 0; count < 3; count += 1) tab.events.track('view', {});
  await advance(10 * MINUTES);
  expect(batches.map((rows) => rows.length)).toEqual([3]);
  expect(device.state().events).toEqual([]);
});

test('400: only the invalid event is dropped', async () => {
  const refusal: ApiResponse = { status: 400, body: { error: { code: 'bad_request', message: '' } }, retryAfterMs: 0 };
  const isBad = ({ payload }: Row) => payload.type === 'bad';
  const { types, respond } = createService((rows) => (rows.some(isBad) ? refusal : undefined));
  const device = createDevice(respond, []);
  const tab = device.openTab();
  for (const type of ['one', 'bad', 'two']) tab.events.track(type, {});
  await advance(5_000);
  expect(types()).toEqual(['one', 'two']);
  expect(device.state().events).toEqual([]);
});

test.each([403, 404])('%i: warns, and keeps the events, because an operator can correct the funnel', async (status) => {
  const error = { code: 'refused', message: 'A message.' };
  const { respond } = createService(() => ({ status, body: { error }, retryAfterMs: 0 }));
  const device = createDevice(respond, ['loses-request', 'unavailable']);
  device.openTab().events.track('view', {});
  await advance(1_000);
  expect(device.warnings).toEqual([]);
  await advance(8_000);
  expect(device.warnings[0]).toEqual([expect.stringContaining('allowed origins'), error]);
  expect(device.state().events).toHaveLength(1);
});

test('an HTTP 200 of a proxy does not acknowledge events', async () => {
  let isLoggedIn = false;
  const login = { status: 200, body: {}, retryAfterMs: 0 };
  const { types, respond } = createService(() => (isLoggedIn ? undefined : login));
  const tab = createDevice(respond, []).openTab();
  tab.events.track('view', {});
  await advance(MINUTES);
  isLoggedIn = true;
  await advance(2 * MINUTES);
  expect(types()).toEqual(['view']);
});

test('until the end of Retry-After, no tab sends events, not even when it is hidden', async () => {
  let arrivals = 0;
  const busy: ApiResponse = { status: 429, body: { error: { code: 'too_many', message: '' } }, retryAfterMs: 600_000 };
  const { respond } = createService(() => {
    arrivals += 1;
    return arrivals === 1 ? busy : undefined;
  });
  const device = createDevice(respond, []);
  device.openTab().events.track('view', {});
  await advance(1_000);
  const other = device.openTab();
  other.events.track('view', {});
  await advance(1_000);
  other.events.flushAtHiding();
  await advance(9 * MINUTES);
  expect(arrivals).toBe(1);
  await advance(2 * MINUTES);
  expect(arrivals).toBe(2);
});

test('events that wait for a retry are sent when the page is hidden', async () => {
  const { types, respond } = createService();
  const device = createDevice(respond, Array(20).fill('loses-request'));
  const tab = device.openTab();
  tab.events.track('view', {});
  await advance(MINUTES);
  device.recover();
  expect(device.state().eventBackoff?.untilMs).toBeGreaterThan(Date.now() + 100);
  tab.events.flushAtHiding();
  await advance(100);
  expect(types()).toEqual(['view']);
});

test('in an outage, the newest 500 events are kept', async () => {
  const device = createDevice(createService().respond, Array(100).fill('loses-request'));
  const tab = device.openTab();
  for (let count = 0; count < 520; count += 1) tab.events.track(`${count}`, {});
  await advance(10_000);
  expect(device.state().events.map(({ payload }) => payload.type)).toEqual(
    Array.from({ length: 500 }, (_, index) => `${index + 20}`),
  );
});

test('events that are not acknowledged are kept for 24 hours', async () => {
  const device = createDevice(createService().respond, Array(5_000).fill('loses-request'));
  device.openTab().events.track('view', {});
  await advance(23 * 60 * MINUTES);
  expect(device.state().events).toHaveLength(1);
  await advance(2 * 60 * MINUTES);
  expect(device.state().events).toEqual([]);
});

describe('the visitor id', () => {
  const sentIds = ({ sent }: ReturnType<typeof createDevice>) =>
    sent.flatMap(({ body }) => (JSON.parse(body).events as Row[]).map(({ payload }) => payload.visitor_id));

  test('is a random UUID, the same in all sessions and tabs of a browser', async () => {
    const device = createDevice(createService().respond, []);
    for (let visit = 0; visit < 2; visit += 1) {
      device.openTab({ hasVisitorId: true }).events.track('view', {});
      await advance(40 * MINUTES);
    }
    const [first, second] = sentIds(device);
    expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(second).toBe(first);
  });

  test('is created by the grant; the events from before the grant are sent with this id', async () => {
    const device = createDevice(createService().respond, []);
    const tab = device.openTab({ consent: 'pending', hasVisitorId: true });
    tab.events.track('view', {});
    await advance(1_000);
    expect(device.state().visitorId).toBeUndefined();
    tab.events.grant();
    await advance(1_000);
    expect(sentIds(device)).toEqual([device.state().visitorId]);
  });

  test.each(['deny', 'reset'] as const)('is deleted by %s', async (action) => {
    const device = createDevice(createService().respond, []);
    const tab = device.openTab({ hasVisitorId: true });
    tab.events.track('view', {});
    await advance(1_000);
    tab.events[action]();
    await advance(1_000);
    expect(device.state().visitorId).toBeUndefined();
    tab.events.grant();
    tab.events.track('view', {});
    await advance(1_000);
    const [before, after] = sentIds(device);
    expect(after).toMatch(/^[\da-f-]{36}$/);
    expect(after).not.toBe(before);
  });

  test('is not created if the option `visitorId` is off; then the page can set its own visitor_id', async () => {
    const device = createDevice(createService().respond, []);
    device.openTab().events.track('view', { payload: { visitor_id: 'own' } });
    await advance(1_000);
    expect([sentIds(device), device.state().visitorId]).toEqual([['own'], undefined]);
  });
});

describe('the attribution of a session', () => {
  const visit = (href: string, referrer = '') => {
    vi.stubGlobal('location', { href });
    vi.stubGlobal('document', { referrer });
  };
  afterEach(() => visit('https://shop.example/?utm_source=news'));
  const sent = (device: ReturnType<typeof createDevice>) =>
    device.sent.flatMap(({ body }) =>
      (JSON.parse(body).events as { pageUrl: string; utmSource?: string; referrer?: string }[]).map(
        ({ pageUrl, utmSource, referrer }) => ({ pageUrl, utmSource, referrer }),
      ),
    );
  const first = {
    pageUrl: 'https://shop.example/?utm_source=mail',
    utmSource: 'mail',
    referrer: 'https://search.example/',
  };

  test('comes from the first page, also for events of later pages', async () => {
    const device = createDevice(createService().respond, []);
    visit('https://shop.example/?utm_source=mail', 'https://search.example/find?q=solar');
    device.openTab().events.track('view', {});
    await advance(1_000);
    visit('https://shop.example/two?utm_source=other', 'https://shop.example/?utm_source=mail');
    const second = device.openTab();
    second.events.track('view', {});
    second.events.track('start', {});
    await advance(1_000);
    expect(sent(device)).toEqual([first, first, first]);
    // The next session has its own attribution.
    await advance(31 * MINUTES);
    second.events.track('view', {});
    await advance(1_000);
    expect(sent(device).at(-1)).toMatchObject({ pageUrl: 'https://shop.example/two?utm_source=other' });
  });

  test('comes from the landing URL, even if the page changes its URL before the first event', async () => {
    const device = createDevice(createService().respond, []);
    visit('https://shop.example/?utm_source=mail', 'https://search.example/');
    const tab = device.openTab();
    visit('https://shop.example/step', 'https://search.example/');
    tab.events.track('view', {});
    await advance(1_000);
    expect(sent(device)).toEqual([first]);
  });

  test.each(['pending', 'denied'] as const)(
    'excludes the landing URL if a denial preceded the grant (initial consent: %s)',
    async (consent) => {
      const device = createDevice(createService().respond, []);
      visit('https://shop.example/?utm_source=mail', 'https://search.example/');
      const tab = device.openTab({ consent });
      if (consent === 'pending') tab.events.deny();
      visit('https://shop.example/step');
      tab.events.grant();
      tab.events.track('view', {});
      await advance(1_000);
      expect(sent(device)).toEqual([
        { pageUrl: 'https://shop.example/step', utmSource: undefined, referrer: undefined },
      ]);
    },
  );
});
