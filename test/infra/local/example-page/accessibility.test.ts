import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { noisePng } from '../../../support/browser/png.ts';
import { HANDLE, refuse, reply } from '../../../support/browser/stub-api.ts';
import {
  arriveAtDetails,
  code,
  fillThirdStep,
  formsBound,
  requestOffer,
  takeSecondStep,
  thanks,
} from '../../../support/browser/walk.ts';
import { withStub } from '../../../support/browser/with-stub.ts';

const { stub, browser } = withStub();

async function open(width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const context = await browser().newContext({
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(stub().pagesUrl);
  await formsBound(page);
  return page;
}

/** Returns what axe-core finds on the page as it is shown. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = (await page.evaluate('axe.run()')) as axe.AxeResults;
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const widthOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth');

test.each([
  [390, 'light'],
  [390, 'dark'],
  [1_280, 'light'],
  [1_280, 'dark'],
] as const)(
  'width %i pixels, color scheme %s: axe-core finds no violation on any step, even with errors',
  async (width, scheme) => {
    stub().answer('/upload', (response) => reply(response, 200, { data: { uuid: 'a-file' } }));
    stub().answer('/ai-stream', refuse(404, 'not_found'));
    stub().answer('/mfa/check', refuse(400, 'code_invalid'), (response) =>
      reply(response, 200, { data: { verified: true, contact_field: 'email' } }),
    );
    const page = await open(width, scheme);
    const goOn = () => page.getByRole('button', { name: 'Continue' }).click();
    const found: string[] = [];
    const check = async () => {
      found.push(...(await findings(page)));
      expect(await widthOf(page)).toBe(width);
    };
    await check();
    await page.getByRole('button', { name: 'Yes' }).click();
    await goOn();
    await page.getByText('Please choose one.').waitFor();
    await check();
    await arriveAtDetails(page);
    await page.getByLabel('Photo of your roof').setInputFiles({
      name: 'roof.png',
      mimeType: 'image/png',
      buffer: noisePng(40, 30),
    });
    await page.getByText('The file is uploaded.').waitFor();
    await page.getByText('Ask about solar power').click();
    await page.getByLabel('Your question').fill('Does a battery pay off?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('There is no answer').waitFor();
    await goOn();
    await page.getByText('Please say how many people').waitFor();
    await check();
    await takeSecondStep(page);
    await page.getByLabel('Your name').waitFor();
    await check();
    await fillThirdStep(page, 'kim@example.com');
    await requestOffer(page);
    await page.getByText('k***@e***.com').waitFor();
    await check();
    await code(page).fill('111111');
    await page.getByText('This is not the code').waitFor();
    await check();
    await code(page).fill('222222');
    await thanks(page).waitFor();
    await check();
    expect(found).toEqual([]);
  },
);

test('axe-core reports a field without a label', async () => {
  const page = await open(390);
  await page.evaluate("document.querySelector('label[for=roof_area]').remove()");
  expect((await findings(page)).join()).toContain('id="roof_area"');
});

const isFocused = (locator: Locator) => locator.evaluate((element) => element.matches(':focus')).catch(() => false);

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, locator: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if (await isFocused(locator)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${locator}.`);
}

test('a visitor gets from the first step to the end with the keyboard alone', async () => {
  const page = await open(1_280);
  const press = async (locator: Locator, key: string) => {
    await tabTo(page, locator);
    await page.keyboard.press(key);
  };
  const type = async (label: string, text: string) => {
    await tabTo(page, page.getByLabel(label));
    await page.keyboard.type(text);
  };
  const heading = (name: string) => page.getByRole('heading', { name });
  await press(page.getByRole('button', { name: 'Continue' }), 'Enter');
  // The focus is on the first field with an error.
  await expect.poll(() => isFocused(page.getByLabel('Detached house'))).toBe(true);
  await page.keyboard.press('Space');
  await press(page.getByLabel('Battery'), 'Space');
  await type('Roof area', '85');
  await page.keyboard.press('Enter');
  await expect.poll(() => isFocused(heading('How do you picture it?'))).toBe(true);
  await press(page.getByRole('button', { name: 'Back' }), 'Enter');
  await expect.poll(() => isFocused(heading('Tell us about your home'))).toBe(true);
  await press(page.getByRole('button', { name: 'Continue' }), 'Enter');
  await expect.poll(() => isFocused(heading('How do you picture it?'))).toBe(true);
  await type('People in the household', '4');
  await page.keyboard.press('Enter');
  await expect.poll(() => isFocused(heading('Where do we send'))).toBe(true);
  await type('Your name', 'Kim Example');
  await type('E-mail', 'kim@example.com');
  await press(page.getByRole('checkbox', { name: 'may use' }), 'Space');
  await press(page.getByRole('button', { name: 'Request my offer' }), 'Enter');
  await expect.poll(() => isFocused(code(page))).toBe(true);
  await page.keyboard.type('123456');
  await expect.poll(() => isFocused(heading('Thank you'))).toBe(true);
  expect(stub().bodies('/submit').at(-1)).toMatchObject({ lead_id: HANDLE.id, data: { name: 'Kim Example' } });
});
