import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite } from '../support/browser/site.ts';
import { withBorrowedRuntime } from '../support/browser/with-runtime.ts';
import { codeBlocksOf } from '../support/documents.ts';

const { demo, browser } = withBorrowedRuntime();

let site: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  const { baseUrl, funnel, pages } = demo();
  const client = new URL(pages.funnel).origin;
  const block = codeBlocksOf('README.md').find(({ attributes }) => attributes.page === 'put-it-on-a-page');
  const html = (block?.text ?? '')
    .replace('FUNNEL_ID', funnel.id)
    .replace('http://127.0.0.1:3001', client)
    .replace('http://127.0.0.1:3000', baseUrl);
  site = await startSite({ '/': html }, { api: baseUrl, client });
});
afterAll(() => site?.close());

test('the HTML of the README creates a lead from a page of another origin than the API', async () => {
  const page = await (await browser().newContext()).newPage();
  const reported: string[] = [];
  page.on('console', (message) => reported.push(message.text()));
  page.on('pageerror', ({ message }) => reported.push(message));
  await page.goto(site.url);
  await page.getByRole('status').waitFor({ state: 'attached' });
  await page.getByLabel('Name').fill('Ada Example');
  await page.getByLabel('E-mail').fill('ada@shop.example');
  await page.getByRole('checkbox').check();
  const submitting = page.waitForResponse((response) => response.url().endsWith('/submit'));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Thank you.').waitFor();
  const response = await submitting;
  expect(response.status()).toBe(200);
  expect(response.request().postDataJSON()).toMatchObject({
    step_id: 'contact',
    data: { name: 'Ada Example', email: 'ada@shop.example', consent: true },
  });
  expect(reported).toEqual([]);
});
