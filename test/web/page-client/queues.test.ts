import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isChromium } from '../../support/browser/chromium.ts';
import { crash } from '../../support/browser/crash.ts';
import { refuse } from '../../support/browser/stub-api.ts';
import { withClientSite } from '../../support/browser/with-client-site.ts';

const { stub, browser, urlOf, open, sentEvents, sentTypes } = withClientSite();

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 15_000 });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const track = (page: Page, type: string) => page.evaluate((given) => window.funnel.track(given), type);
/** The longest time that the client waits for an idle moment, plus the time to send what is stored. */
const IDLE_MS = 2_700;
const SUBMIT = { data: { name: 'Kim' } };
const submits = () => stub().bodies('/submit');

declare global {
  interface Window {
    /** The APIs that the page has used. */
    used?: string[];
  }
}

/** Stores an event and a submit that the service has not accepted. */
async function visitDuringOutage(context: BrowserContext): Promise<void> {
  stub().answer('/e', refuse(503, 'service_unavailable'));
  stub().answer('/submit', refuse(503, 'service_unavailable'));
  const page = await open(context);
  await track(page, 'earlier');
  await page.evaluate((given) => void window.funnel.submit(given), SUBMIT);
  await eventually(() => Math.min(sentTypes().length, submits().length)).toBeGreaterThan(0);
  await crash(context, page);
  stub().reset();
}

/** The pages of this context are never idle. */
async function busyContext(): Promise<BrowserContext> {
  const context = await browser().newContext();
  await context.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
  return context;
}

test('on a new device, a page that calls nothing opens no database, lock or channel, and stores nothing', async () => {
  const context = await browser().newContext();
  await context.addInitScript(() => {
    const used: string[] = [];
    window.used = used;
    const record = <T extends object>(prototype: T, method: keyof T & string) =>
      Object.defineProperty(prototype, method, {
        get: () => {
          used.push(method);
          return undefined;
        },
      });
    record(IDBFactory.prototype, 'open');
    record(Storage.prototype, 'setItem');
    if ('LockManager' in window) record(LockManager.prototype, 'request');
    window.BroadcastChannel = class {
      constructor() {
        used.push('BroadcastChannel');
      }
    } as unknown as typeof BroadcastChannel;
  });
  const page = await open(context);
  await pause(IDLE_MS);
  expect(await page.evaluate(() => window.used)).toEqual([]);
});

test.each(['with', 'without'])('%s requestIdleCallback, a page sends what an earlier visit has stored', async (has) => {
  const context = await browser().newContext();
  await visitDuringOutage(context);
  if (has === 'without') await context.addInitScript(() => Reflect.deleteProperty(window, 'requestIdleCallback'));
  const page = await open(context);
  expect(await page.evaluate(() => 'requestIdleCallback' in window)).toBe(has === 'with');
  await eventually(sentTypes).toEqual(['earlier']);
  await eventually(submits).toMatchObject([SUBMIT]);
});

test('if the visitor leaves before the page is idle, the next page sends what an earlier visit has stored', async () => {
  const context = await busyContext();
  await visitDuringOutage(context);
  const page = await open(context);
  await pause(500);
  await page.goto(urlOf('/elsewhere'));
  await pause(500);
  expect([sentTypes(), submits()]).toEqual([[], []]);
  const next = await context.newPage();
  await next.addInitScript(() => Reflect.deleteProperty(window, 'requestIdleCallback'));
  await next.goto(urlOf('/module?consent=granted'));
  await eventually(sentTypes).toEqual(['earlier']);
  await eventually(submits).toMatchObject([SUBMIT]);
});

test('on a page that is never idle, the first event also sends what an earlier visit has stored', async () => {
  const context = await busyContext();
  await visitDuringOutage(context);
  const page = await open(context);
  await track(page, 'later');
  await eventually(() => sentTypes().toSorted()).toEqual(['earlier', 'later']);
  await eventually(submits).toMatchObject([SUBMIT]);
});

test('a page that is never idle sends an event even if the visitor leaves immediately', async () => {
  const page = await open(await busyContext());
  await page.evaluate((url) => {
    window.funnel.track('view');
    location.href = url;
  }, urlOf('/elsewhere'));
  await eventually(sentTypes).toEqual(['view']);
});

test('if the first event is tracked in a hidden page, the next page sends it', async () => {
  const context = await browser().newContext();
  const page = await open(context);
  await page.evaluate(() => addEventListener('visibilitychange', () => window.funnel.track('hidden')));
  await page.goto(urlOf('/elsewhere'));
  await open(context);
  await eventually(sentTypes).toEqual(['hidden']);
});

test('when the connection returns, a page sends what another tab has stored meanwhile', async () => {
  const context = await browser().newContext();
  const page = await open(context);
  await pause(IDLE_MS);
  await visitDuringOutage(context);
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await eventually(sentTypes).toEqual(['earlier']);
  await eventually(submits).toMatchObject([SUBMIT]);
});

test('a page that returns from the back/forward cache sends what another tab has stored', async () => {
  const context = await busyContext();
  const page = await open(context);
  const transition = (type: string) =>
    page.evaluate((name) => void dispatchEvent(new PageTransitionEvent(name, { persisted: true })), type);
  await transition('pagehide');
  await visitDuringOutage(context);
  await transition('pageshow');
  await eventually(sentTypes).toEqual(['earlier']);
  await eventually(submits).toMatchObject([SUBMIT]);
});

test('a denial in another tab also holds for a page that has not used its queues yet', async () => {
  const context = await browser().newContext();
  const page = await open(context);
  await pause(IDLE_MS);
  const other = await open(context);
  await other.evaluate(() => {
    window.funnel.consent.deny();
    return window.funnel.lead();
  });
  await page.evaluate((url) => {
    window.funnel.track('after the denial');
    location.href = url;
  }, urlOf('/elsewhere'));
  await page.waitForURL('**/elsewhere');
  await open(context);
  await pause(IDLE_MS);
  expect(sentEvents()).toEqual([]);
});

test('on a new device, a page does not send the new events of another open tab', async () => {
  const page = await open(await browser().newContext());
  await pause(IDLE_MS);
  await page.evaluate(() => {
    const name = `tributary-${window.funnel.urlOf('{id}').split('/').at(-1)}`;
    const attribution = { pageUrl: location.href };
    const event = {
      eventId: 'other',
      atMs: Date.now(),
      type: 'other',
      fields: {},
      attribution,
      nextSessionId: 'other',
    };
    localStorage.setItem(name, '');
    localStorage.setItem(`${name}/other`, JSON.stringify(event));
  });
  await track(page, 'own');
  await eventually(sentTypes).toEqual(['own']);
  await pause(1_000);
  expect(sentTypes()).toEqual(['own']);
});

test('the first event has the URL with which the page was loaded', async () => {
  const page = await open(await browser().newContext(), '/module?consent=granted&utm_source=mail');
  await page.evaluate(() => history.pushState(null, '', '/contact'));
  await track(page, 'view');
  await eventually(sentEvents).toMatchObject([{ pageUrl: urlOf('/module?utm_source=mail'), utmSource: 'mail' }]);
});

test.skipIf(!isChromium)(
  'if tasks keep a page busy all the time, it still sends what an earlier visit has stored',
  async () => {
    const context = await browser().newContext();
    await visitDuringOutage(context);
    await context.addInitScript(() => {
      // Each task starts the next one.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const endMs = performance.now() + 40;
        while (performance.now() < endMs);
        port2.postMessage(0);
      };
      port2.postMessage(0);
    });
    await open(context);
    await eventually(sentTypes).toEqual(['earlier']);
    await eventually(submits).toMatchObject([SUBMIT]);
  },
);
