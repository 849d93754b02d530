import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { hasBackForwardCache } from '../../support/browser/chromium.ts';
import { crash } from '../../support/browser/crash.ts';
import { refuse } from '../../support/browser/stub-api.ts';
import { withClientSite } from '../../support/browser/with-client-site.ts';

/** The classic script on a page that neither queues calls nor has forms. */

const { stub, browser, urlOf, sentEvents, sentTypes: types } = withClientSite();

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 30_000 });

async function openUnused(query = ''): Promise<Page> {
  const page = await (await browser().newContext()).newPage();
  await page.goto(urlOf(`/unused${query}`));
  return page;
}

test('a page that never uses the client stores and sends nothing, and its script element is not read', async () => {
  const page = await openUnused('?broken');
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.reload();
  await page.waitForTimeout(500);
  expect(await page.evaluate(async () => [await indexedDB.databases(), localStorage.length])).toEqual([[], 0]);
  expect([stub().received('/e'), errors]).toEqual([[], []]);
});

test('the first use starts the client, with the URL that the page had when it was loaded', async () => {
  const page = await openUnused('?utm_source=letter');
  await page.evaluate(() => {
    history.pushState(null, '', '/unused/second');
    const { tributary } = window;
    if (tributary === undefined || Array.isArray(tributary)) throw new Error('The client is not loaded.');
    tributary.track('view');
    tributary.track('start');
  });
  await eventually(types).toEqual(['view', 'start']);
  const { pathname, search } = new URL(sentEvents()[0]?.pageUrl ?? '');
  expect(pathname + search).toBe('/unused?utm_source=letter');
});

test('a page that never uses the client sends what an earlier page has stored', async () => {
  stub().answer('/e', refuse(503, 'service_unavailable'));
  const page = await openUnused();
  const context = page.context();
  await page.evaluate(() => window.tributary?.push((funnel) => funnel.track('view')));
  await eventually(types).toContain('view');
  await crash(context, page);

  stub().reset();
  await (await context.newPage()).goto(urlOf('/unused'));
  await eventually(types).toEqual(['view']);
});

test('code that creates the array of calls can run after the script', async () => {
  await openUnused('?late');
  await eventually(types).toEqual(['late']);
});

test('without its script element, the client says what it needs', async () => {
  const page = await openUnused('?broken');
  await expect(page.evaluate(() => window.tributary)).rejects.toThrow('needs its script element, with data-funnel');
});

test.skipIf(!hasBackForwardCache)(
  'a page that returns from the back/forward cache sends what the next page has stored',
  async () => {
    const page = await openUnused();
    stub().answer('/e', refuse(503, 'service_unavailable'));
    await page.goto(urlOf('/unused?next'));
    await page.evaluate(() => window.tributary?.push((funnel) => funnel.track('view')));
    await eventually(types).toContain('view');
    stub().reset();
    // A return from the cache has no event of the load, for which `page.goBack` waits.
    await page.goBack({ waitUntil: 'commit' });
    await eventually(types).toEqual(['view']);
  },
);
