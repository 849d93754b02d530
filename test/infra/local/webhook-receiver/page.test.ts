import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '../../../../infra/local/webhook-receiver/server.ts';
import { launchChromium } from '../../../support/browser/chromium.ts';

const NO_FOLDER = { read: () => undefined, write: () => undefined };

let browser: Browser;
let receiver: WebhookReceiver;
let origin: string;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser?.close());
beforeEach(async () => {
  receiver = await startWebhookReceiver(0, NO_FOLDER);
  origin = `http://127.0.0.1:${receiver.port}`;
});
afterEach(() => receiver.close());

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

function send(id: string, { secret = SECRET, data = {} as object } = {}): Promise<Response> {
  const body = JSON.stringify({ type: 'endpoint.test', timestamp: new Date().toISOString(), data });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(), body),
  };
  return fetch(`${origin}/hook/crm`, { method: 'POST', headers, body });
}

async function open(width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await page.goto(`${origin}/`);
  await page.getByText('Now: 204 No Content, for all requests.').waitFor();
  return { page, faults };
}

const items = (page: Page) => page.locator('#list > li');

async function setSecret(page: Page, secret = SECRET): Promise<void> {
  await page.getByLabel('Signing secrets').fill(secret);
  await page.getByRole('button', { name: 'Set secrets' }).click();
}

test('without a reload, the page shows requests with their content, and whether their signatures are valid', async () => {
  const { page, faults } = await open(1_280);
  expect(await page.getByText('No request has arrived yet').isVisible()).toBe(true);
  expect(await page.getByText(`${origin}/hook`, { exact: true }).isVisible()).toBe(true);
  await send('msg_1');
  await page.getByRole('status').getByText('1 request. Newest: endpoint.test, not verified.').waitFor();
  expect(await page.getByText('No request has arrived yet').isVisible()).toBe(false);

  await setSecret(page);
  await page.getByText(`Set: whsec_…${SECRET.slice(-5, -1)}`).waitFor();
  expect(await page.getByLabel('Signing secrets').inputValue()).toBe('');
  await send('msg_1', { data: { endpoint_id: 'e-1' } });
  await items(page).nth(1).waitFor();
  expect(await items(page).first().textContent()).toMatch(
    /^endpoint\.testsignature valid.*msg_1 · attempt 2 · \/hook\/crm · 204/,
  );

  await items(page).first().locator('summary').click();
  await page.getByText('"endpoint_id": "e-1"').waitFor();
  expect(await page.getByText('webhook-timestamp').isVisible()).toBe(true);

  await send('msg_2', { secret: `whsec_${randomBytes(32).toString('base64')}` });
  await page.getByRole('status').getByText('3 requests. Newest: endpoint.test, signature invalid.').waitFor();
  // The new request is above the opened request, which stays open.
  expect(await items(page).nth(1).getByText('"endpoint_id": "e-1"').isVisible()).toBe(true);
  await items(page).first().locator('summary').click();
  await page.getByText('No matching signature found').waitFor();
  expect(faults).toEqual([]);
}, 60_000);

test('the page sets the response to the next requests, and shows how many requests still get this response', async () => {
  const { page, faults } = await open(1_280);
  expect(await page.getByLabel('Retry-After').isVisible()).toBe(false);
  await page.getByLabel('Response', { exact: true }).selectOption('429 Too Many Requests');
  await page.getByLabel('Retry-After').fill('7');
  await page.getByLabel('only the next requests').check();
  await page.getByLabel('Number of requests').fill('2');
  await page.getByRole('button', { name: 'Set response' }).click();
  await page.getByText('Retry-After: 7, for the next 2 requests, then 204 No Content.').waitFor();
  const response = await send('msg_1');
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
  await page.getByText('for the next request, then 204 No Content.').waitFor();
  await send('msg_1');
  await page.getByText('Now: 204 No Content, for all requests.').waitFor();

  await page.getByLabel('Response', { exact: true }).selectOption('Close the connection');
  await page.getByLabel('all requests').check();
  await page.getByRole('button', { name: 'Set response' }).click();
  await page.getByText('Now: Close the connection, for all requests.').waitFor();
  await expect(send('msg_1')).rejects.toThrow('fetch failed');
  expect(faults).toEqual([]);
}, 60_000);

test('an invalid secret stays in its field, which is marked as soon as the page shows the error', async () => {
  const { page } = await open(1_280);
  await page.route('**/deliveries', async (route) => {
    await delay(300);
    await route.continue();
  });
  await setSecret(page, 'whsec_?');
  await page.getByRole('alert').getByText('Secret 1 is not a signing secret.').waitFor();
  expect(await page.getByLabel('Signing secrets').inputValue()).toBe('whsec_?');
  expect(await page.getByLabel('Signing secrets').getAttribute('aria-invalid')).not.toBeNull();
  await setSecret(page);
  await page.getByText('Set: whsec_…').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await page.getByLabel('Signing secrets').getAttribute('aria-invalid')).toBeNull();
}, 60_000);

test('HTML in a request is shown as text', async () => {
  const { page, faults } = await open(1_280);
  const html = '<img src=x onerror="window.ran=1"><script>window.ran=2</script>';
  const headers = { 'webhook-id': html, 'x-html': html };
  await fetch(`${origin}/hook/${encodeURI(html)}`, { method: 'POST', headers, body: JSON.stringify({ type: html }) });
  await items(page).first().locator('summary').click();
  await page.getByText('x-html').waitFor();
  expect(await page.locator('#list img, #list script').count()).toBe(0);
  expect(await page.evaluate('window.ran')).toBeUndefined();
  expect(faults).toEqual([]);
}, 60_000);

test('after a restart of the receiver, an open page shows only the requests since the restart', async () => {
  const { page } = await open(1_280);
  await send('msg_before');
  await page.getByText('msg_before').waitFor();
  await receiver.close();
  await page.getByText('The demo has stopped.').waitFor();
  receiver = await startWebhookReceiver(receiver.port, NO_FOLDER);
  await page.getByText('No request has arrived yet').waitFor();
  await send('msg_after');
  await page.getByText('msg_after').waitFor();
  expect(await items(page).count()).toBe(1);
}, 60_000);

test.each([
  [390, 'light'],
  [390, 'dark'],
  [1_280, 'light'],
  [1_280, 'dark'],
] as const)(
  'width %i pixels, color scheme %s: axe-core finds nothing, and the page does not scroll horizontally',
  async (width, scheme) => {
    const { page } = await open(width, scheme);
    const check = async () => {
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
      expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    };
    await check();
    await send('msg_0');
    await setSecret(page);
    await page.getByText('Set: whsec_…').waitFor();
    await send('msg_1', { data: { text: 'long'.repeat(200) } });
    await send('msg_1', { secret: `whsec_${randomBytes(32).toString('base64')}` });
    await items(page).nth(2).waitFor();
    for (const index of [0, 1, 2]) await items(page).nth(index).locator('summary').click();
    await setSecret(page, 'whsec_?');
    await page.getByRole('alert').getByText('Secret 1').waitFor();
    await page.getByLabel('Response', { exact: true }).selectOption('429');
    await page.getByLabel('only the next requests').check();
    await check();
  },
  60_000,
);

test('a secret can be set and a request can be opened with the keyboard alone', async () => {
  const { page } = await open(1_280);
  await send('msg_1');
  await items(page).first().waitFor();
  const tabTo = async (selector: string) => {
    for (let presses = 0; presses < 30; presses++) {
      if (await page.locator(selector).evaluate((element) => element.matches(':focus'))) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${selector}.`);
  };
  await tabTo('#secrets');
  await page.keyboard.type(SECRET);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Set: whsec_…').waitFor();
  await tabTo('#list summary');
  await page.keyboard.press('Enter');
  await page.getByText('Not verified, because no signing secret was set.').waitFor();
}, 60_000);
