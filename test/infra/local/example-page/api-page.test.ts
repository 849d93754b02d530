import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operations } from '../../../../functions/declarations.ts';
import { withBorrowedRuntime } from '../../../support/browser/with-runtime.ts';

const { demo, browser } = withBorrowedRuntime();

/** Opens the page. Collects console messages and errors of the page, and the URLs of its requests. */
async function openApi(width = 1_280) {
  const context = await browser().newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  const reported: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => reported.push(message.text()));
  page.on('pageerror', ({ message }) => reported.push(message));
  context.on('request', (request) => requested.push(request.url()));
  page.on('websocket', (socket) => requested.push(socket.url()));
  await page.goto(demo().pages.api);
  await page.locator('.opblock').first().waitFor();
  return { page, reported, requested };
}

const operationOf = (page: Page, summary: string) => page.locator('.opblock').filter({ hasText: summary });

/**
 * Opens an operation and sends its example.
 *
 * @param fill enters what the example lacks
 * @returns status and JSON body of the shown response
 */
async function execute(page: Page, summary: string, fill?: (operation: Locator) => Promise<void>) {
  const operation = operationOf(page, summary);
  await operation.locator('.opblock-summary-control').click();
  await fill?.(operation);
  await operation.getByRole('button', { name: 'Execute' }).click();
  const shown = operation.locator('.live-responses-table .response');
  const body = await shown.locator('code.language-json').first().textContent();
  return { status: await shown.locator('.response-col_status').textContent(), body: JSON.parse(body ?? '') };
}

test('the page lists every operation with its summary below its tag', async () => {
  const { page } = await openApi();
  const listed: string[][] = [];
  for (const section of await page.locator('.opblock-tag-section').all()) {
    const tag = (await section.locator('.opblock-tag').getAttribute('data-tag')) ?? '';
    for (const operation of await section.locator('.opblock').all()) {
      const parts = ['.opblock-summary-method', '.opblock-summary-path', '.opblock-summary-description'];
      const texts = await Promise.all(parts.map((part) => operation.locator(part).textContent()));
      // Removes the zero-width spaces, which the page adds so that a browser can wrap the path there.
      listed.push([tag, ...texts.map((text) => (text ?? '').replaceAll('\u200b', ''))]);
    }
  }
  expect(listed).toEqual(operations.map(({ tag, method, path, summary }) => [tag, method, path, summary]));
}, 60_000);

test('the examples of a public operation and of two organization operations succeed without further input', async () => {
  const { page, reported } = await openApi();
  expect(await execute(page, 'Submit a funnel step')).toMatchObject({
    status: '200',
    body: { data: { id: expect.any(String), update_token: expect.any(String) } },
  });
  expect(await execute(page, 'Read a training call')).toMatchObject({
    status: '200',
    body: { id: demo().readyCallId, status: 'ready' },
  });
  // A copy succeeds only if the page sends the token of an admin of both organizations of the demo.
  expect(await execute(page, 'Copy a landing page')).toMatchObject({ status: '201' });
  expect(reported).toEqual([]);
}, 60_000);

test('the form of an upload needs only a file', async () => {
  const { page } = await openApi();
  const file = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n%%EOF\n') };
  const choose = (operation: Locator) => operation.locator('input[type="file"]').setInputFiles(file);
  expect(await execute(page, 'Upload a file', choose)).toMatchObject({
    status: '200',
    body: { data: { name: 'plan.pdf', mimeType: 'application/pdf' } },
  });
}, 60_000);

test('the page sends requests only to its own server and the API, and the browser reports no error', async () => {
  const { page, requested, reported } = await openApi();
  await execute(page, 'Read the counts of a funnel, by device');
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Schemas' }).click();
  await page.waitForLoadState('networkidle');
  const origins = requested.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin);
  expect(new Set(origins)).toEqual(new Set([new URL(demo().pages.api).origin, demo().baseUrl]));
  expect(reported).toEqual([]);
}, 60_000);

test.each([390, 1_280])(
  'a page with a width of %i pixels has no horizontal scrolling, even with an open operation',
  async (width) => {
    const { page } = await openApi(width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await execute(page, 'Submit a funnel step');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  },
  60_000,
);
