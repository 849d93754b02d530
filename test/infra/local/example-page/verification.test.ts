import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { breakOff, CODE_SENT, HANDLE, refuse, reply } from '../../../support/browser/stub-api.ts';
import {
  arriveAtCode,
  confirmLater,
  fillThirdStep,
  requestOffer,
  takeFirstStep,
  takeSecondStep,
  thanks,
} from '../../../support/browser/walk.ts';
import { withStub } from '../../../support/browser/with-stub.ts';

const { stub, open } = withStub();

const handle = { lead_id: HANDLE.id, update_token: HANDLE.update_token };
const sendTo = (given: Partial<typeof CODE_SENT>) => (response: Parameters<typeof reply>[0]) =>
  reply(response, 200, { data: { ...CODE_SENT, ...given } });
const verified = (response: Parameters<typeof reply>[0]) =>
  reply(response, 200, { data: { verified: true, contact_field: 'email' } });

async function openCode(): Promise<Page> {
  const page = await open();
  await arriveAtCode(page);
  await page.getByText('k***@e***.com').first().waitFor();
  return page;
}

const code = (page: Page) => page.getByLabel('Six-digit code');
const problem = (page: Page) => page.locator('#code-problem');
const confirmed = (page: Page) => page.getByText('address is confirmed.');
const unconfirmed = (page: Page) => page.getByText('Your address is not confirmed yet.');
const resend = (page: Page) => page.getByRole('button', { name: 'Send a new code' });
const isFocused = (page: Page) => code(page).evaluate((element) => element.matches(':focus'));
const sends = () => stub().bodies('/mfa/send');
const checks = () => stub().bodies('/mfa/check');

test('a pasted code is checked once, without a click, and the page shows that the address is verified', async () => {
  const page = await openCode();
  await expect.poll(() => isFocused(page)).toBe(true);
  expect(sends()).toEqual([handle]);
  await code(page).fill('Your code: 123 456.');
  await thanks(page).waitFor();
  expect(await confirmed(page).isVisible()).toBe(true);
  expect(await unconfirmed(page).isVisible()).toBe(false);
  expect(checks()).toEqual([{ ...handle, code: '123456' }]);
});

test.each([
  ['code_invalid', 'This is not the code that we sent.'],
  ['code_expired', 'This code is too old.'],
])(
  '400 %s: the page shows a message at the code, and the correct code is accepted afterwards',
  async (refused, words) => {
    stub().answer('/mfa/check', refuse(400, refused), verified);
    const page = await openCode();
    await code(page).fill('111111');
    await problem(page).filter({ hasText: words }).waitFor();
    expect(await code(page).getAttribute('aria-invalid')).toBe('true');
    expect(await isFocused(page)).toBe(true);
    await page.keyboard.type('222222');
    await thanks(page).waitFor();
    expect(checks().map((check) => check.code)).toEqual(['111111', '222222']);
  },
);

test('429 too_many_attempts: the page shows how long to wait, and checks no code before the end of this time', async () => {
  stub().answer('/mfa/check', refuse(429, 'too_many_attempts', { 'Retry-After': '600' }), verified);
  const page = await open();
  await page.clock.install();
  await arriveAtCode(page);
  await code(page).fill('111111');
  await problem(page).filter({ hasText: 'Please try again in 10 minutes.' }).waitFor();
  await code(page).fill('222222');
  await problem(page).filter({ hasText: 'Please try again in 10 minutes.' }).waitFor();
  expect(checks()).toHaveLength(1);
  await page.clock.fastForward(601_000);
  await code(page).fill('333333');
  await thanks(page).waitFor();
});

test('a new code can be requested after the countdown, which starts again after a 429', async () => {
  const page = await open();
  await page.clock.install();
  await arriveAtCode(page);
  await page.getByRole('button', { name: 'Send a new code (in ' }).waitFor();
  expect(await resend(page).isDisabled()).toBe(true);
  await page.clock.runFor(31_000);
  stub().answer('/mfa/send', refuse(429, 'rate_limited', { 'Retry-After': '400' }), sendTo({}));
  await resend(page).click();
  await problem(page).filter({ hasText: 'We can send the next code in 7 minutes.' }).waitFor();
  await page.getByRole('button', { name: 'Send a new code (in 400 s)' }).waitFor();
  expect(sends()).toHaveLength(2);
  await page.clock.runFor(401_000);
  await resend(page).click();
  await page.getByRole('button', { name: 'Send a new code (in 30 s)' }).waitFor();
  expect(sends()).toEqual([handle, { ...handle, channel: 'email' }, { ...handle, channel: 'email' }]);
});

test('429: if the first code cannot be sent yet, the visitor can request it after the wait', async () => {
  stub().answer('/mfa/send', refuse(429, 'rate_limited', { 'Retry-After': '20' }), sendTo({}));
  const page = await open();
  await page.clock.install();
  await arriveAtCode(page);
  await problem(page).filter({ hasText: 'We can send the next code in 20 seconds.' }).waitFor();
  expect(await page.getByText('We are sending you a code').isVisible()).toBe(false);
  await page.clock.runFor(21_000);
  await page.getByRole('button', { name: 'Send the code' }).click();
  await page.getByText('k***@e***.com').first().waitFor();
  expect(await problem(page).isVisible()).toBe(false);
});

test('a visitor can switch to another available channel', async () => {
  const available_channels = ['email', 'sms'];
  stub().answer(
    '/mfa/send',
    sendTo({ available_channels }),
    sendTo({ available_channels, channel: 'sms', masked_destination: '+49*****20' }),
  );
  const page = await openCode();
  await page.getByRole('button', { name: 'Send it by text message instead' }).click();
  await page.getByText('by text message to +49*****20').waitFor();
  expect(await page.getByRole('button', { name: 'Send it by e-mail instead' }).isVisible()).toBe(true);
  expect(sends()).toEqual([handle, { ...handle, channel: 'sms' }]);
  await code(page).fill('123456');
  await page.getByText('Your phone number is confirmed.').waitFor();
});

test('another code is sent if the visitor changes the e-mail address, but not if the address stays the same', async () => {
  const page = await openCode();
  const change = async (email: string) => {
    await page.getByRole('button', { name: 'Change my contact details' }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await requestOffer(page);
    await code(page).waitFor();
  };
  await change('kim@example.com');
  expect(sends()).toHaveLength(1);
  await code(page).fill('12');
  await change('kim@example.org');
  await expect.poll(() => sends().length).toBe(2);
  expect(await code(page).inputValue()).toBe('');
});

test('verification can be skipped, and is offered again at the end', async () => {
  const page = await openCode();
  await confirmLater(page);
  await thanks(page).waitFor();
  expect(await unconfirmed(page).isVisible()).toBe(true);
  await page.getByRole('button', { name: 'Confirm it now' }).click();
  await code(page).fill('123456');
  await confirmed(page).waitFor();
  expect(sends()).toHaveLength(1);
});

test('after a reload, the visitor continues at the same step, and no second code is sent', async () => {
  const page = await openCode();
  await page.reload();
  await page.getByText('k***@e***.com').first().waitFor();
  await code(page).fill('123456');
  await confirmed(page).waitFor();
  expect(sends()).toHaveLength(1);
});

test.each([
  ['500', refuse(500, 'internal_error'), 'We could not send the code.'],
  ['no connection', breakOff, 'We can’t reach our server'],
])('%s: if the code cannot be sent, the visitor can continue without a verification', async (_what, answer, words) => {
  stub().answer('/mfa/send', answer);
  const page = await open();
  await arriveAtCode(page);
  await problem(page).filter({ hasText: words }).waitFor({ timeout: 45_000 });
  expect(await page.getByRole('button', { name: 'Send the code' }).isEnabled()).toBe(true);
  await confirmLater(page);
  await thanks(page).waitFor();
  expect(await unconfirmed(page).isVisible()).toBe(true);
});

test('400: if the service has nothing to verify, the page shows the last step', async () => {
  stub().answer('/mfa/send', refuse(400, 'bad_request'));
  const page = await open();
  await takeFirstStep(page);
  await takeSecondStep(page);
  await fillThirdStep(page, 'kim@example.com');
  await requestOffer(page);
  await thanks(page).waitFor();
  expect(await unconfirmed(page).isVisible()).toBe(false);
});

test('a check whose response was lost is repeated', async () => {
  stub().answer('/mfa/check', breakOff, verified);
  const page = await openCode();
  await code(page).fill('123456');
  await confirmed(page).waitFor();
  expect(checks().map((check) => check.code)).toEqual(['123456', '123456']);
});

test('an incomplete code is not sent', async () => {
  const page = await openCode();
  await code(page).fill('12345');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await problem(page).filter({ hasText: 'all six digits' }).waitFor();
  expect(checks()).toEqual([]);
});
