import type { BrowserContext, Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { isChromium } from '../../support/browser/chromium.ts';
import { crash } from '../../support/browser/crash.ts';
import { HANDLE, refuse } from '../../support/browser/stub-api.ts';
import { withClientSite } from '../../support/browser/with-client-site.ts';

const { stub, browser, open, sentTypes } = withClientSite();

let context: BrowserContext;
beforeEach(async () => {
  context = await browser().newContext();
  await context.addInitScript(makeIndexedDbFail);
});

declare global {
  interface Window {
    indexedDbFails?: boolean;
  }
}

/** While `window.indexedDbFails` is set, IndexedDB opens no database and begins no transaction. */
function makeIndexedDbFail() {
  const failing = <T extends (...given: never[]) => unknown>(original: T) =>
    function (this: unknown, ...given: Parameters<T>) {
      if (window.indexedDbFails) throw new DOMException('Connection to Indexed Database server lost.', 'UnknownError');
      return original.apply(this, given);
    };
  IDBFactory.prototype.open = failing(IDBFactory.prototype.open) as typeof IDBFactory.prototype.open;
  IDBDatabase.prototype.transaction = failing(
    IDBDatabase.prototype.transaction,
  ) as typeof IDBDatabase.prototype.transaction;
}

const submit = (page: Page, data: Record<string, string>) =>
  page.evaluate((given) => window.funnel.submit({ data: given }), data);
const submitWithoutWaiting = (page: Page, data: Record<string, string>) =>
  page.evaluate((given) => void window.funnel.submit({ data: given }), data);
const breakStorage = (page: Page) =>
  page.evaluate(() => {
    window.indexedDbFails = true;
  });
const sentData = () =>
  stub()
    .bodies('/submit')
    .map(({ data }) => data);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 15_000 });
/** Long enough for a page to send what it has stored. */
const SENDING_MS = 1_000;

async function dieAndReturn(page: Page, path: string): Promise<Page> {
  await crash(context, page);
  return open(context, path);
}

test('a stored update is sent even if IndexedDB fails later, and the next visit does not repeat it', async () => {
  const page = await open(context, '/module');
  await submit(page, { city: 'A' });
  stub().answer('/submit', refuse(503, 'service_unavailable', { 'Retry-After': '1' }));
  await submitWithoutWaiting(page, { city: 'B' });
  await eventually(sentData).toEqual([{ city: 'A' }, { city: 'B' }]);
  await breakStorage(page);
  stub().reset();
  await submit(page, { city: 'C' });
  expect(sentData()).toEqual([{ city: 'B' }, { city: 'C' }]);

  const next = await dieAndReturn(page, '/module');
  await pause(SENDING_MS);
  expect(sentData()).toEqual([{ city: 'B' }, { city: 'C' }]);
  await submit(next, { city: 'D' });
  expect(stub().bodies('/submit').at(-1)).toMatchObject({ data: { city: 'D' }, lead_id: HANDLE.id });
});

test('if IndexedDB fails before it stores the lead handle, the next visit repeats the first submit', async () => {
  stub().answer('/submit', refuse(503, 'service_unavailable', { 'Retry-After': '1' }));
  const page = await open(context, '/module');
  await submitWithoutWaiting(page, { city: 'A' });
  await eventually(() => stub().received('/submit').length).toBeGreaterThan(0);
  await breakStorage(page);
  stub().reset();
  await submit(page, { city: 'B' });
  const [first] = stub().received('/submit');

  const next = await dieAndReturn(page, '/module');
  await eventually(() => stub().received('/submit')).toHaveLength(3);
  expect(stub().received('/submit')[2]).toEqual(first);
  await submit(next, { city: 'C' });
  expect(stub().bodies('/submit').at(-1)).toMatchObject({ data: { city: 'C' }, lead_id: HANDLE.id });
});

test('a denial that IndexedDB could not store holds on the next visit', async () => {
  stub().answer('/e', refuse(503, 'service_unavailable'));
  const page = await open(context, '/module?consent=granted');
  await page.evaluate(() => window.funnel.track('view'));
  await eventually(() => stub().received('/e').length).toBeGreaterThan(0);
  await breakStorage(page);
  await page.evaluate(() => window.funnel.consent.deny());
  await pause(100);
  stub().reset();

  const next = await dieAndReturn(page, '/module?consent=granted');
  await next.evaluate(() => window.funnel.track('start'));
  await pause(SENDING_MS);
  expect(stub().received('/e')).toEqual([]);
});

test('a reset that IndexedDB could not store holds on the next visit', async () => {
  const page = await open(context, '/module');
  await submit(page, { city: 'A' });
  stub().answer('/submit', refuse(503, 'service_unavailable'));
  await submitWithoutWaiting(page, { city: 'B' });
  await eventually(sentData).toEqual([{ city: 'A' }, { city: 'B' }]);
  await breakStorage(page);
  await page.evaluate(() => window.funnel.reset());
  await pause(100);
  stub().reset();

  const next = await dieAndReturn(page, '/module');
  expect(await next.evaluate(() => window.funnel.lead())).toBeUndefined();
  await pause(SENDING_MS);
  expect(stub().received('/submit')).toEqual([]);
});

test('where storage is blocked, events and submits are sent from memory', async () => {
  await context.addInitScript(() => {
    const block = () => {
      throw new DOMException('Blocked.', 'SecurityError');
    };
    Object.defineProperty(window, 'indexedDB', { get: block });
    Object.defineProperty(window, 'localStorage', { get: block });
    window.BroadcastChannel = block as unknown as typeof BroadcastChannel;
    LockManager.prototype.request = async () => block();
  });
  const page = await open(context, '/module?consent=granted');
  await page.evaluate(() => window.funnel.track('view'));
  expect(await submit(page, { city: 'A' })).toEqual({ status: 'saved' });
  await eventually(sentTypes).toEqual(['view']);
});

test.skipIf(!isChromium)('with a full disk, events and submits are sent from memory', async () => {
  const page = await open(context, '/module?consent=granted');
  const quota = await context.newCDPSession(page);
  await quota.send('Storage.overrideQuotaForOrigin', { origin: new URL(page.url()).origin, quotaSize: 1 });
  await page.evaluate(() => window.funnel.track('view'));
  expect(await submit(page, { city: 'A' })).toEqual({ status: 'saved' });
  await eventually(sentTypes).toEqual(['view']);
});
