import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { crash } from '../../support/browser/crash.ts';
import { refuse } from '../../support/browser/stub-api.ts';
import { withClientSite } from '../../support/browser/with-client-site.ts';

/** The classic script on a page that neither queues calls nor has forms. */

const { stub, browser, urlOf, sentEvents, sentTypes: types } = withClientSite();

async function openUnused(query = '', initScript = ''): Promise<Page> {
  const page = await (await browser().newContext()).newPage();
  await page.addInitScript(initScript);
  await page.goto(urlOf(`/unused${query}`));
  return page;
}

const trackFirst = (page: Page) => page.evaluate(() => window.tributary?.push((funnel) => funnel.track('view')));

test('if no earlier page has stored anything, a page that never uses the client stores and sends nothing', async () => {
  const page = await openUnused();
  await page.waitForTimeout(500);
  expect(await page.evaluate(async () => [await indexedDB.databases(), localStorage.length])).toEqual([[], 0]);
  expect(stub().received('/e')).toEqual([]);
});

test('if the client starts at its first use, its events still have the URL from the load of the page', async () => {
  const page = await openUnused('?utm_source=letter');
  await page.evaluate(() => history.pushState(null, '', '/unused/second'));
  await trackFirst(page);
  await expect.poll(types).toEqual(['view']);
  const { pathname, search } = new URL(sentEvents()[0]?.pageUrl ?? '');
  expect(pathname + search).toBe('/unused?utm_source=letter');
});

test('the client works after the page has removed the script element', async () => {
  const page = await openUnused();
  await page.evaluate(() => document.querySelector('script[data-funnel]')?.remove());
  await trackFirst(page);
  await expect.poll(types).toEqual(['view']);
});

test('what an earlier page has stored is sent, even if this page never uses the client', async () => {
  stub().answer('/e', refuse(503, 'service_unavailable'));
  const page = await openUnused();
  const context = page.context();
  await trackFirst(page);
  await expect.poll(types).toContain('view');
  await crash(context, page);

  stub().reset();
  const next = await context.newPage();
  // Disables long timers. Otherwise, the client would start after a few seconds even without stored data.
  await next.addInitScript(
    'const timer = setTimeout; window.setTimeout = (f, ms) => (ms >= 5_000 ? 0 : timer(f, ms));',
  );
  await next.goto(urlOf('/unused'));
  await expect.poll(types).toEqual(['view']);
});

test('if a page is killed before its database opens, the next page sends its submit', async () => {
  const page = await openUnused('', 'IDBFactory.prototype.open = () => ({});');
  await page.evaluate(() => window.tributary?.push((funnel) => void funnel.submit({ data: { name: 'Kim' } })));
  const context = page.context();
  await crash(context, page);
  expect(stub().received('/submit')).toEqual([]);

  await (await context.newPage()).goto(urlOf('/unused'));
  await expect.poll(() => stub().bodies('/submit')).toMatchObject([{ data: { name: 'Kim' } }]);
});

test('the page can create the array `window.tributary` after the script has run', async () => {
  await openUnused('?late');
  await expect.poll(types).toEqual(['late']);
});

test('a page can replace `window.tributary` before the first use of the client', async () => {
  const page = await openUnused();
  const replace = () => {
    window.tributary = [];
    return window.tributary;
  };
  expect(await page.evaluate(replace)).toEqual([]);
});

test('if data-funnel is missing, the client reports an error that names this attribute', async () => {
  const page = await openUnused('?broken');
  expect((await page.waitForEvent('pageerror')).message).toContain('needs a script element with data-funnel');
  await expect(page.evaluate(() => window.tributary)).rejects.toThrow('needs a script element with data-funnel');
});
