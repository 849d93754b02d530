import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findChromium, hasBackForwardCache, isChromium } from '../../support/browser/chromium.ts';
import { goBack } from '../../support/browser/go-back.ts';
import { refuse } from '../../support/browser/stub-api.ts';
import { withClientSite } from '../../support/browser/with-client-site.ts';

const { stub, browser, urlOf, open, siteRequests, sentEvents, sentTypes } = withClientSite();

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 15_000 });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const track = (page: Page, type: string) => page.evaluate((given) => window.funnel.track(given), type);
const DAY_MS = 86_400_000;

declare global {
  interface Window {
    isRestored?: boolean;
    clockOffsetMs?: number;
  }
}

test.skipIf(!hasBackForwardCache)(
  'a page sends events before it enters the back/forward cache and after it returns from it',
  async () => {
    const page = await open(await browser().newContext());
    await page.evaluate(() =>
      addEventListener('pageshow', ({ persisted }) => {
        window.isRestored = persisted;
      }),
    );
    await track(page, 'before');
    await page.goto(urlOf('/elsewhere'));
    await eventually(sentTypes).toEqual(['before']);
    await goBack(page);
    const reasons = () => {
      const [navigation] = performance.getEntriesByType('navigation');
      return JSON.stringify((navigation as { notRestoredReasons?: unknown } | undefined)?.notRestoredReasons);
    };
    expect([await page.evaluate(() => window.isRestored), await page.evaluate(reasons)]).toEqual([true, 'null']);
    await track(page, 'after');
    // The page may have entered the cache before it had the response to the first event. Then it sends the event again.
    await eventually(() => [...new Set(sentTypes())]).toEqual(['before', 'after']);
    expect(new Set(sentEvents().map(({ sessionId }) => sessionId)).size).toBe(1);
  },
);

/** Runs a browser without DevTools. With DevTools, the browser would not show a prerendered page. */
async function visitWithoutDevTools(profile: string, url: string, ms: number): Promise<void> {
  const { executablePath, args, env } = await findChromium();
  const switches = ['--headless', `--user-data-dir=${profile}`, ...args];
  const child = spawn(executablePath, [...switches, url], { env, detached: true, stdio: 'ignore' });
  await pause(ms);
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await once(child, 'exit');
}

test.skipIf(!isChromium)('a prerendered page stores and sends nothing before the visitor sees it', async () => {
  const profile = await mkdtemp(join(tmpdir(), 'tributary-profile-'));
  await visitWithoutDevTools(profile, urlOf('/prerenders'), 3_000);
  expect([siteRequests().slice(-2), sentTypes()]).toEqual([['/queue.js prerender', '/stored?0'], []]);
  await visitWithoutDevTools(profile, urlOf('/prerenders?go'), 4_000);
  expect(siteRequests().filter((path) => path.startsWith('/classic'))).toEqual(Array(2).fill('/classic prerender'));
  expect(siteRequests().at(-1)).toBe('/stored?0');
  // One event, because the visitor has seen one page.
  expect(sentTypes()).toEqual(['before']);
  await rm(profile, { recursive: true });
});

test('20 tabs of a browser send each event once, in one session, and create one lead', async () => {
  const context = await browser().newContext();
  const tabs = await Promise.all(Array.from({ length: 20 }, () => open(context)));
  const outcomes = await Promise.all(
    tabs.map((tab, at) =>
      tab.evaluate((n) => {
        for (const type of ['view', 'start']) window.funnel.track(`${type} ${n}`);
        return window.funnel.submit({ data: { n } });
      }, at),
    ),
  );
  expect(outcomes).toEqual(Array(20).fill({ status: 'saved' }));
  expect(
    stub()
      .bodies('/submit')
      .filter(({ lead_id }) => lead_id === undefined),
  ).toHaveLength(1);
  await eventually(() => new Set(sentTypes()).size).toBe(40);
  await pause(1_000);
  expect(sentTypes()).toHaveLength(40);
  expect(new Set(sentEvents().map(({ sessionId }) => sessionId)).size).toBe(1);
});

/** Lets the test change the clock of pages. */
const withClock = (context: BrowserContext) =>
  context.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + (window.clockOffsetMs ?? Number(sessionStorage.getItem('clock') ?? 0));
  });
const setClock = (page: Page, offsetMs: number) =>
  page.evaluate((given) => {
    window.clockOffsetMs = given;
    sessionStorage.setItem('clock', `${given}`);
  }, offsetMs);

test.each([
  // Less than the 24 hours for which submits and events are kept.
  ['23 hours forward', 23 * 3_600_000],
  ['a day back', -DAY_MS],
  ['years back', -3_000 * DAY_MS],
])('no event or submit is lost if the clock jumps %s during an outage', async (_name, jumpMs) => {
  const context = await browser().newContext();
  await withClock(context);
  stub().answer('/e', refuse(503, 'service_unavailable'));
  stub().answer('/submit', refuse(503, 'service_unavailable'));
  const page = await open(context);
  await track(page, 'before');
  await page.evaluate(() => void window.funnel.submit({ data: { city: 'A' } }));
  await eventually(() => [stub().received('/submit').length, sentTypes().length].every((count) => count > 0)).toBe(
    true,
  );
  await setClock(page, jumpMs);
  stub().reset();
  expect(await page.evaluate(() => window.funnel.submit({ data: { city: 'B' } }))).toEqual({ status: 'saved' });
  expect(
    stub()
      .bodies('/submit')
      .map(({ data }) => data.city),
  ).toEqual(['A', 'B']);
  await track(page, 'after');
  await eventually(sentTypes).toEqual(['before', 'after']);
});

test('a clock that was years ahead and is corrected does not stop events and submits', async () => {
  const context = await browser().newContext();
  await withClock(context);
  const page = await open(context);
  await setClock(page, 3_000 * DAY_MS);
  await track(page, 'ahead');
  expect(await page.evaluate(() => window.funnel.submit({ data: { city: 'A' } }))).toEqual({ status: 'saved' });
  await eventually(sentTypes).toEqual(['ahead']);
  await setClock(page, 0);
  await track(page, 'corrected');
  expect(await page.evaluate(() => window.funnel.submit({ data: { city: 'B' } }))).toEqual({ status: 'saved' });
  await eventually(sentTypes).toEqual(['ahead', 'corrected']);
});
