import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { noisePng } from '../../../support/browser/png.ts';
import {
  arriveAtDetails,
  code,
  fillThirdStep,
  requestOffer,
  takeSecondStep,
  thanks,
} from '../../../support/browser/walk.ts';
import { withBorrowedRuntime } from '../../../support/browser/with-runtime.ts';

const { demo, state, open } = withBorrowedRuntime();

async function openDetails(): Promise<Page> {
  const page = await open();
  await arriveAtDetails(page);
  return page;
}

const choose = (page: Page, buffer: Buffer, name = 'roof.png') =>
  page.getByLabel('Photo of your roof').setInputFiles({ name, mimeType: 'image/png', buffer });
const uploaded = (page: Page) => page.getByText('The file is uploaded.').waitFor();

type Mailbox = {
  emails: { destination: { to: string[] }; body: { text: string } }[];
  sms: { destination: string; body: string }[];
};

/** Returns the code in the newest message to an address. */
async function codeFor(address: string): Promise<string> {
  const { emails, sms } = (await (await fetch(demo().mailbox)).json()) as Mailbox;
  const texts = [
    ...emails.filter(({ destination }) => destination.to.includes(address)).map(({ body }) => body.text),
    ...sms.filter(({ destination }) => destination === address).map(({ body }) => body),
  ];
  return /\b\d{6}\b/.exec(texts.at(-1) ?? '')?.[0] ?? '';
}

test('a visitor uploads a photo, asks a question, and verifies the e-mail address with the code from the mailbox', async () => {
  const page = await openDetails();
  await choose(page, noisePng(300, 200));
  await uploaded(page);

  await page.getByText('Ask about solar power').click();
  await page.getByLabel('Your question').fill('Does a battery pay off?');
  const ask = page.getByRole('button', { name: 'Ask', exact: true });
  await ask.click();
  const answer = page.getByRole('region', { name: 'Automatic answer' });
  await answer.filter({ hasText: 'built-in writer' }).waitFor();
  // The answer is labelled as automatic, and is still being streamed.
  expect(await answer.getAttribute('aria-busy')).toBe('true');
  await ask.waitFor();
  expect((await answer.textContent())?.length).toBeGreaterThan(120);

  const submit = page.waitForRequest((request) => request.url().endsWith('/submit') && request.method() === 'POST');
  await takeSecondStep(page);
  expect((await submit).postDataJSON().data.roof_photo).toMatch(/^[0-9a-f-]{36}$/);
  await fillThirdStep(page, 'kim.walker@example.com');
  await requestOffer(page);
  await page.getByText('k***@e***.com').first().waitFor();
  const mailboxPage = await page.getByRole('link', { name: 'Open its mailbox' }).getAttribute('href');
  expect((await fetch(mailboxPage ?? '')).headers.get('content-type')).toContain('text/html');
  const right = await codeFor('kim.walker@example.com');
  await code(page).fill(right === '000000' ? '000001' : '000000');
  await page.getByText('This is not the code that was sent.').waitFor();
  await code(page).fill(right);
  await thanks(page).waitFor();
  expect(await page.getByText('Your address is confirmed.').isVisible()).toBe(true);
}, 90_000);

test('a visitor uploads a photo over 4 MB after a file of a wrong type, and verifies the phone number by SMS', async () => {
  const page = await openDetails();
  await choose(page, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'roof.svg');
  await page.getByText('Files of this type are not accepted.').waitFor();
  await choose(page, noisePng(1_400, 1_100));
  await uploaded(page);
  await takeSecondStep(page);
  await fillThirdStep(page, 'kim.caller@example.com');
  await page.getByLabel('Phone').fill('030 901820');
  await requestOffer(page);
  await page.getByRole('button', { name: 'Send it by text message instead' }).click();
  await page.getByText('+49').waitFor();
  await code(page).fill(await codeFor('+4930901820'));
  await thanks(page).waitFor();
  expect(await page.getByText('Your address is confirmed.').isVisible()).toBe(true);
}, 90_000);

test('analytics erase --lead finds the session of a visitor', async () => {
  const page = await open();
  const submitted = page.waitForResponse((response) => response.url().endsWith('/submit') && response.ok());
  await arriveAtDetails(page);
  const { data } = await (await submitted).json();
  await takeSecondStep(page);
  await page.getByLabel('Your name').waitFor();
  const admin = join(import.meta.dirname, '../../../../infra/cli/main.ts');
  const asked = ['analytics', 'erase', demo().funnel.id, '--lead', data.id, '--dry-run', '--json', '--state', state()];
  const found = async () => JSON.parse((await promisify(execFile)('node', [admin, ...asked])).stdout);
  // The whole session is found, including events before the first submit.
  await expect.poll(found, { timeout: 60_000, interval: 1_000 }).toMatchObject({ sessions: 1, events: 7 });
}, 60_000);
