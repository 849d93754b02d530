import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAwsMessageSender } from '../../../../shared/messages/aws/aws-message-sender.ts';
import { launchChromium } from '../../../support/browser/chromium.ts';
import { useMailbox } from '../../../support/local/mailbox.ts';

const mailbox = useMailbox();
const { send } = createAwsMessageSender();
const NOTICED_MS = { timeout: 45_000 };

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser?.close());

const mail = (to: string, html: string) =>
  send({ channel: 'email', to, sender: 'Müller', subject: `For ${to}`, text: 'Code 314159', html, language: 'de' });

async function open(width: number): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(`${mailbox.origin()}/`);
  return { page, faults };
}

test('the page says when there are no messages yet, shows new messages without a reload, and opens a message', async () => {
  const { page, faults } = await open(1_280);
  await expect.poll(() => page.getByText('Nothing has been sent yet').isVisible(), NOTICED_MS).toBe(true);
  await mail('ada@shop.example', '<p>Your code: <b>314159</b></p>');
  await send({ channel: 'sms', to: '+4930901820', text: '271828 is your code' });
  const lines = page.getByRole('navigation').getByRole('link');
  await expect.poll(() => lines.count(), NOTICED_MS).toBe(2);
  expect(await lines.first().textContent()).toContain('271828');

  await lines.nth(1).click();
  await page.getByRole('heading', { name: 'For ada@shop.example' }).waitFor();
  expect(await page.getByText('Müller <codes@tributary.example>').isVisible()).toBe(true);
  await page.frameLocator('iframe').getByText('314159').waitFor();

  await lines.first().click();
  await page.locator('.bubbles').getByText('271828').waitFor();
  expect(faults).toEqual([]);
}, 60_000);

test('on a phone, the page shows either the list or a message, without horizontal scrolling', async () => {
  await mail('long@shop.example', `<p>${'long '.repeat(100)}</p>`);
  const { page } = await open(390);
  const line = page.getByRole('link', { name: /long@shop\.example/ });
  await line.click();
  await page.getByRole('heading', { name: 'For long@shop.example' }).waitFor();
  expect(await line.isVisible()).toBe(false);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('link', { name: 'All messages' }).click();
  await line.waitFor();
}, 60_000);

test('an e-mail runs no scripts and loads nothing', async () => {
  await mail(
    'eve@shop.example',
    '<script>parent.ran = 1</script><img src="/store?pixel" onerror="parent.ran = 2"><p>Here</p>',
  );
  const { page } = await open(1_280);
  const asked: string[] = [];
  page.on('requestfinished', (request) => asked.push(request.url()));
  await page.getByRole('link', { name: /eve@shop\.example/ }).click();
  await page.frameLocator('iframe').getByText('Here').waitFor();
  expect(await page.evaluate('window.ran')).toBeUndefined();
  expect(asked.filter((url) => url.includes('pixel'))).toEqual([]);
}, 60_000);
