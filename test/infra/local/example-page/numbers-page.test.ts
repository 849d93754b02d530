import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { withRuntime } from '../../../support/browser/with-runtime.ts';

const { demo, browser } = withRuntime();

async function openNumbers(query = '', width = 1_440): Promise<Page> {
  const context = await browser().newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${demo().pages.numbers}${query}`);
  await answered(page);
  return page;
}

const answered = (page: Page) => page.locator('#numbers[aria-busy="false"]').waitFor();
const sessions = async (page: Page) => Number((await page.locator('#sessions').textContent())?.replaceAll(',', ''));
const asked = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

/** Returns the number of sessions in the row of a value. */
const listed = async (page: Page, value: string) =>
  Number(
    (
      await page.locator('#lists').getByRole('button', { name: value }).locator('.visually-hidden').textContent()
    )?.split(' ')[0],
  );

test('a click on a value filters the numbers until the filter is removed, even after a reload', async () => {
  const page = await openNumbers('?range=30d');
  const all = await sessions(page);
  const newsletter = await listed(page, 'newsletter');
  expect(newsletter).toBeLessThan(all);

  await page.getByRole('button', { name: 'newsletter' }).click();
  await answered(page);
  expect(await sessions(page)).toBe(newsletter);
  expect(asked(page)).toMatchObject({ range: '30d', utmSource: 'newsletter' });
  expect(await page.getByRole('button', { name: 'newsletter', pressed: true }).isVisible()).toBe(true);

  await page.reload();
  await answered(page);
  expect(await sessions(page)).toBe(newsletter);
  await page.getByRole('button', { name: 'Remove the filter Source: newsletter' }).click();
  await answered(page);
  expect(await sessions(page)).toBe(all);
  expect(asked(page)).not.toHaveProperty('utmSource');
}, 60_000);

test('the sums of the table and of the heat map equal the totals, and the chart shows the day at the pointer', async () => {
  const page = await openNumbers('?range=7d&timezone=Australia%2FLord_Howe');
  await page.getByText('As a table').click();
  const rows = page.locator('#series-table tbody tr');
  // The table is created when the browser fires the toggle event, which is after the click.
  await rows.first().waitFor();
  expect(await rows.count()).toBe(7);
  const unfinished = (await rows.locator('th').allTextContents()).map((name) => name.endsWith(' (so far)'));
  expect(unfinished).toEqual([true, ...Array.from({ length: 6 }, () => false)]);
  const column = async (at: number) =>
    (await rows.locator(`td:nth-of-type(${at})`).allTextContents()).reduce((sum, text) => sum + Number(text), 0);
  const total = async (id: string) => Number((await page.locator(id).textContent())?.replaceAll(',', ''));
  expect(await column(1)).toBe(await total('#starts'));
  expect(await column(2)).toBe(await total('#completions'));
  const cells = await page.locator('#heat tbody td').allTextContents();
  expect(cells).toHaveLength(168);
  expect(cells.reduce((sum, text) => sum + Number(text), 0)).toBe(await sessions(page));

  await page.locator('#series svg').hover({ position: { x: 300, y: 100 } });
  await page
    .locator('#readout')
    .filter({ hasText: /^\w{3}, \d+ \w+ \d{4}: \d+ starts/ })
    .waitFor();
}, 60_000);

test('304: while the numbers do not change, every response has this status, and the page does not redraw', async () => {
  const page = await openNumbers('?range=yesterday');
  const session = await page.context().newCDPSession(page);
  const statuses: number[] = [];
  session.on('Network.responseReceivedExtraInfo', ({ statusCode }) => statuses.push(statusCode));
  await session.send('Network.enable');
  await page.evaluate(`new MutationObserver((changes) => document.body.setAttribute('data-changes', changes.length))
    .observe(document.getElementById('charts'), { childList: true, subtree: true })`);
  await expect.poll(() => statuses.length, { timeout: 45_000 }).toBeGreaterThanOrEqual(6);
  expect(statuses.filter((status) => status !== 304)).toEqual([]);
  expect(await page.locator('body').getAttribute('data-changes')).toBeNull();
}, 60_000);

test('the URL of the page contains a custom range; for an invalid range, the page shows a message and does not retry', async () => {
  const page = await openNumbers();
  await page.getByText('Dates', { exact: true }).click();
  await answered(page);
  expect(Object.keys(asked(page))).toEqual(expect.arrayContaining(['since', 'until']));
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().includes('/overview?')) requests += 1;
  });
  await page.getByRole('textbox', { name: 'From' }).fill('2030-01-01');
  await page.getByRole('alert').filter({ hasText: 'query.until must be after since.' }).waitFor();
  const after = requests;
  await page.waitForTimeout(5_000);
  expect(requests).toBe(after);
  await page.getByText('7 days', { exact: true }).click();
  await page.getByRole('alert').waitFor({ state: 'hidden' });
  expect(await page.getByRole('textbox', { name: 'From' }).isVisible()).toBe(false);
}, 60_000);

test.each([360, 390, 768, 1_440])(
  'a page with a width of %i pixels has no horizontal scrolling',
  async (width) => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const dates = `range=custom&since=${day(29)}&until=${day(0)}`;
    const page = await openNumbers(`?${dates}&granularity=hour&utmCampaign=spring-roofs`, width);
    expect(await page.locator('#series svg').isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  },
  60_000,
);
