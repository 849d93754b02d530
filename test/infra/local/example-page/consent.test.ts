import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { formsBound, takeFirstStep } from '../../../support/browser/walk.ts';
import { withStub } from '../../../support/browser/with-stub.ts';

const { stub, browser } = withStub();

async function open(): Promise<Page> {
  const page = await (await browser().newContext()).newPage();
  await page.goto(stub().pagesUrl);
  await formsBound(page);
  return page;
}

const kinds = () =>
  stub()
    .bodies('/e')
    .flatMap(({ events }) => events)
    .map(({ payload }) => payload.type);
const banner = (page: Page) => page.getByRole('region', { name: 'May we count' });
/** Waits longer than the page client buffers events. */
const settle = (page: Page) => page.waitForTimeout(1_000);

test('the page sends no events before the visitor agrees; after a reload, it sends events without asking again', async () => {
  const page = await open();
  await settle(page);
  expect(kinds()).toEqual([]);
  await page.getByRole('button', { name: 'Yes' }).click();
  await expect.poll(kinds).toEqual(['view', 'step_view']);
  expect(await banner(page).isVisible()).toBe(false);
  await page.reload();
  await expect.poll(kinds).toEqual(['view', 'step_view', 'view', 'step_view']);
  expect(await banner(page).isVisible()).toBe(false);
});

test('after a denial, steps are submitted without events, and the visitor can change the decision', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'No, thanks' }).click();
  await takeFirstStep(page);
  await page.getByRole('heading', { name: 'How do you picture it?' }).waitFor();
  await page.reload();
  await settle(page);
  expect(await banner(page).isVisible()).toBe(false);
  expect(kinds()).toEqual([]);
  expect(stub().bodies('/submit')).toHaveLength(1);
  await page.getByRole('button', { name: 'Privacy' }).click();
  expect(await page.getByRole('button', { name: 'No, thanks' }).evaluate((one) => one.matches(':focus'))).toBe(true);
  await page.getByRole('button', { name: 'Yes' }).click();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect.poll(kinds).toEqual(['step_view']);
});
