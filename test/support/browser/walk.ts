import { type Browser, devices, type Page } from 'playwright-core';

/** Opens the funnel as a visitor with a phone, and grants consent. */
export async function openFunnel(browser: Browser, url: string): Promise<Page> {
  const { userAgent, viewport } = devices['Pixel 7'];
  const context = await browser.newContext({ userAgent, viewport });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Yes' }).click();
  await formsBound(page);
  return page;
}

/** Waits until the page client has bound the forms of the page. */
export const formsBound = (page: Page) =>
  page.locator('form [data-funnel-status]').first().waitFor({ state: 'attached' });

const goOn = (page: Page) => page.getByRole('button', { name: 'Continue' }).click();

export async function takeFirstStep(page: Page, roofArea = '85'): Promise<void> {
  await page.getByLabel('Detached house').check();
  await page.getByLabel('Solar panels').check();
  await page.getByLabel('Roof area').fill(roofArea);
  await goOn(page);
}

export async function takeSecondStep(page: Page): Promise<void> {
  await page.getByLabel('People in the household').fill('4');
  await page.getByLabel('Town').fill('Musterstadt');
  await goOn(page);
}

export async function fillThirdStep(page: Page, email: string): Promise<void> {
  await page.getByLabel('Your name').fill('Kim Example');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('checkbox', { name: 'may use' }).check();
}

export const requestOffer = (page: Page) => page.getByRole('button', { name: 'Request my offer' }).click();
export const confirmLater = (page: Page) => page.getByRole('button', { name: 'Confirm later' }).click();
export const thanks = (page: Page) => page.getByRole('heading', { name: 'Thank you' });

export const code = (page: Page) => page.getByLabel('Six-digit code');

/** Goes to the step with the photo and the assistant. */
export async function arriveAtDetails(page: Page): Promise<void> {
  await takeFirstStep(page);
  await page.getByRole('heading', { name: 'How do you picture it?' }).waitFor();
}

/** Goes to the step with the verification code. */
export async function arriveAtCode(page: Page, email = 'kim@example.com'): Promise<void> {
  await takeFirstStep(page);
  await takeSecondStep(page);
  await fillThirdStep(page, email);
  await requestOffer(page);
  await code(page).waitFor();
}
