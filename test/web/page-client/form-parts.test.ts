import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { noisePng } from '../../support/browser/png.ts';
import { breakOff, CODE_SENT, HANDLE, refuse, reply } from '../../support/browser/stub-api.ts';
import {
  arriveAtCode,
  arriveAtDetails,
  code,
  confirmLater,
  formsBound,
  requestOffer,
  takeSecondStep,
  thanks,
} from '../../support/browser/walk.ts';
import { withStub } from '../../support/browser/with-stub.ts';

/** The example page has all parts. Its Content-Security-Policy forbids code that creates HTML from strings. */
const { stub, browser, open } = withStub();

const handle = { lead_id: HANDLE.id, update_token: HANDLE.update_token };
const submitted = () => stub().bodies('/submit');
const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const isFocused = (page: Page, label: string) =>
  page.getByLabel(label).evaluate((element) => element.matches(':focus'));

/** Creates a response that is sent only after `go` was called. */
function held(answer: (response: ServerResponse) => void) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const answerLater = async (response: ServerResponse) => {
    await promise;
    answer(response);
  };
  return { go: resolve, answer: answerLater };
}

// Verification

const sends = () => stub().bodies('/mfa/send');
const checks = () => stub().bodies('/mfa/check');
const verified = (response: ServerResponse) =>
  reply(response, 200, { data: { verified: true, contact_field: 'email' } });
const sendBy = (given: Partial<typeof CODE_SENT>) => (response: ServerResponse) =>
  reply(response, 200, { data: { ...CODE_SENT, ...given } });
const confirmed = (page: Page) => page.getByText('Your address is confirmed.');
const resend = (page: Page) => page.getByRole('button', { name: 'Send a new code' });

async function changeEmail(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Change my contact details' }).click();
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await requestOffer(page);
  await code(page).waitFor();
}

async function openCode(): Promise<Page> {
  const page = await open();
  await arriveAtCode(page);
  await page.getByText('k***@e***.com').waitFor();
  return page;
}

/** Opens the page with a clock that the test controls, and goes to the verification. */
async function openCodeWithClock(): Promise<Page> {
  const page = await (await browser().newContext()).newPage();
  await page.clock.install();
  await page.goto(stub().pagesUrl);
  await formsBound(page);
  await arriveAtCode(page);
  return page;
}

test('a pasted code is checked once, without a click, and the page shows that the address is verified', async () => {
  const page = await openCode();
  await expect.poll(() => isFocused(page, 'Six-digit code')).toBe(true);
  expect(sends()).toEqual([handle]);
  await code(page).fill('Your code: 123 456.');
  await thanks(page).waitFor();
  expect(await confirmed(page).isVisible()).toBe(true);
  expect(checks()).toEqual([{ ...handle, code: '123456' }]);
});

test.each([
  ['code_invalid', 'This is not the code that was sent.'],
  ['code_expired', 'This code has expired.'],
])('400 %s: the error is shown at the code, and the correct code is accepted afterwards', async (refused, text) => {
  stub().answer('/mfa/check', refuse(400, refused), verified);
  const page = await openCode();
  await code(page).fill('111111');
  await page.getByRole('textbox', { name: 'Six-digit code', description: text }).waitFor();
  expect(await code(page).getAttribute('aria-invalid')).toBe('true');
  expect(await code(page).getAttribute('aria-describedby')).not.toContain('null');
  expect(await isFocused(page, 'Six-digit code')).toBe(true);
  await page.keyboard.type('222222');
  await thanks(page).waitFor();
  expect(checks().map((check) => check.code)).toEqual(['111111', '222222']);
});

test('an incomplete code is not sent', async () => {
  const page = await openCode();
  await code(page).fill('12345');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('all six digits').waitFor();
  expect(checks()).toEqual([]);
});

test('429: the page says how long to wait, and checks no code until then', async () => {
  stub().answer('/mfa/check', refuse(429, 'too_many_attempts', { 'Retry-After': '600' }), verified);
  const page = await openCodeWithClock();
  await code(page).fill('111111');
  await status(page, 'Please try again in 10 min.');
  await code(page).fill('222222');
  await status(page, 'Please try again in 10 min.');
  expect(checks()).toHaveLength(1);
  await page.clock.fastForward(601_000);
  await code(page).fill('333333');
  await thanks(page).waitFor();
});

test('another code can be sent after the countdown, which starts again after a 429', async () => {
  const page = await openCodeWithClock();
  await page.getByRole('button', { name: 'Send a new code (30 s)' }).waitFor();
  await resend(page).click({ force: true });
  await page.clock.runFor(31_000);
  expect(await resend(page).textContent()).toBe('Send a new code');
  expect(sends()).toHaveLength(1);
  stub().answer('/mfa/send', refuse(429, 'rate_limited', { 'Retry-After': '400' }), sendBy({}));
  await resend(page).click();
  await status(page, 'Please try again in 7 min.');
  await page.getByRole('button', { name: 'Send a new code (400 s)' }).waitFor();
  // While a click on the button has no effect, the button keeps the focus.
  expect(await resend(page).evaluate((element) => element.matches(':focus'))).toBe(true);
  await page.clock.runFor(401_000);
  await resend(page).click();
  await page.getByRole('button', { name: 'Send a new code (30 s)' }).waitFor();
  expect(sends()).toHaveLength(3);
});

test('a visitor can switch to another available channel', async () => {
  const available_channels = ['email', 'sms'];
  stub().answer(
    '/mfa/send',
    sendBy({ available_channels }),
    sendBy({ available_channels, channel: 'sms', masked_destination: '+49*****20' }),
  );
  const page = await openCode();
  await page.getByRole('button', { name: 'Send it by text message instead' }).click();
  await page.getByText('+49*****20').waitFor();
  expect(await page.getByRole('button', { name: 'Send it by e-mail instead' }).isVisible()).toBe(true);
  expect(sends()).toEqual([handle, { ...handle, channel: 'sms' }]);
});

test('another code is sent if the visitor changes an answer, but not if the visitor only goes back', async () => {
  const page = await openCode();
  await changeEmail(page, 'kim@example.com');
  expect(sends()).toHaveLength(1);
  await code(page).fill('12');
  await changeEmail(page, 'kim@example.org');
  await expect.poll(() => sends().length).toBe(2);
  await expect.poll(() => code(page).inputValue()).toBe('');
});

test('if sending a code fails, the code is sent when the visitor returns to the verification', async () => {
  const page = await openCode();
  stub().answer('/mfa/send', refuse(500, 'internal_error'), sendBy({ masked_destination: 'k***@e***.org' }));
  await changeEmail(page, 'kim@example.org');
  await status(page, 'could not be sent');
  await changeEmail(page, 'kim@example.org');
  await page.getByText('k***@e***.org').waitFor();
  expect(sends()).toHaveLength(3);
});

test('verification can be skipped; if the visitor then starts another request, it creates another lead', async () => {
  const page = await openCode();
  await confirmLater(page);
  await thanks(page).waitFor();
  expect(await confirmed(page).isVisible()).toBe(false);
  await page.getByRole('link', { name: 'Start another request' }).click();
  await formsBound(page);
  await arriveAtDetails(page);
  expect(submitted().map(({ lead_id }) => lead_id)).toEqual([undefined, HANDLE.id, HANDLE.id, undefined]);
});

test('after a reload, the visitor continues with the verification, and no second code is sent', async () => {
  const page = await openCode();
  await page.reload();
  await page.getByText('k***@e***.com').waitFor();
  await code(page).fill('123456');
  await confirmed(page).waitFor();
  expect([sends().length, checks()]).toEqual([1, [{ ...handle, code: '123456' }]]);
});

test('on a later visit without a valid code, a code is sent only when the visitor asks for one', async () => {
  const page = await openCode();
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await formsBound(page);
  await code(page).waitFor();
  await page.waitForTimeout(500);
  expect(sends()).toHaveLength(1);
  expect(await resend(page).textContent()).toBe('Send a new code');
  await resend(page).click();
  await page.getByText('k***@e***.com').waitFor();
  expect(sends()).toHaveLength(2);
});

test('a visitor can go back during the check of a code; if the address stays the same, no second code is sent', async () => {
  const { go, answer } = held(verified);
  stub().answer('/mfa/check', answer);
  const page = await openCode();
  await code(page).fill('123456');
  await expect.poll(() => checks().length).toBe(1);
  await page.getByRole('button', { name: 'Change my contact details' }).click();
  const checked = page.waitForResponse('**/mfa/check');
  go();
  await (await checked).finished();
  await page.waitForTimeout(200);
  await requestOffer(page);
  await confirmed(page).waitFor();
  expect([sends().length, checks().length]).toEqual([1, 1]);
});

test.each([
  ['500', refuse(500, 'internal_error'), 'could not be sent'],
  ['no connection', breakOff, 'There is no connection.'],
])('%s: if the code cannot be sent, the visitor can continue without a verification', async (_what, answer, text) => {
  stub().answer('/mfa/send', answer);
  const page = await open();
  await arriveAtCode(page);
  await status(page, text);
  await confirmLater(page);
  await thanks(page).waitFor();
  expect(await confirmed(page).isVisible()).toBe(false);
});

test('400: if there is nothing to verify, the page shows the element data-funnel-done', async () => {
  const { go, answer } = held(refuse(400, 'bad_request'));
  stub().answer('/mfa/send', answer);
  const page = await open();
  await arriveAtCode(page);
  go();
  await thanks(page).waitFor();
  expect(await confirmed(page).isVisible()).toBe(false);
});

// Uploads

const UUID = 'c6f6a3c2-2a0e-4f0e-9d3e-1f1f6d2a10aa';
const record = { uuid: UUID, name: 'roof.png', size: 1, mimeType: 'image/png', storagePath: 'a/b/c.png' };
const takeUpload = (response: ServerResponse) => reply(response, 200, { data: record });
const photo = (bytes = noisePng(40, 30)) => ({ name: 'roof.png', mimeType: 'image/png', buffer: bytes });
const choose = (page: Page, file = photo()) => page.getByLabel('Photo of your roof').setInputFiles(file);
const uploaded = (page: Page) => status(page, 'The file is uploaded.');
const arrivedAtContact = (page: Page) => page.getByRole('heading', { name: 'Where do we send' }).waitFor();

async function openDetails(): Promise<Page> {
  const page = await open();
  await arriveAtDetails(page);
  return page;
}

test('a chosen file is uploaded immediately to the block of its field, and its id is the value of the field', async () => {
  const { go, answer } = held(takeUpload);
  stub().answer('/upload', answer);
  const page = await openDetails();
  const bytes = noisePng(40, 30);
  await choose(page, photo(bytes));
  await page.getByRole('progressbar', { name: 'The file is being uploaded.' }).waitFor();
  go();
  await uploaded(page);
  const [form] = stub().received('/upload');
  for (const part of ['name="blockId"\r\n\r\nblock-id\r\n', 'name="organizationId"\r\n\r\norg-id\r\n', bytes])
    expect(form?.body.includes(part)).toBe(true);
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted().at(-1)).toMatchObject({ step_id: 'details', data: { roof_photo: UUID } });
  expect(stub().received('/upload')).toHaveLength(1);
});

test('data-organization at a file input overrides the organization at the script element', async () => {
  stub().answer('/upload', takeUpload);
  const page = await openDetails();
  await page.getByLabel('Photo of your roof').evaluate((input) => {
    input.dataset.organization = 'other-org-id';
  });
  await choose(page);
  await uploaded(page);
  expect(stub().received('/upload')[0]?.body.includes('name="organizationId"\r\n\r\nother-org-id\r\n')).toBe(true);
});

test('removing a file clears its field and moves the focus to the field', async () => {
  stub().answer('/upload', takeUpload);
  const page = await openDetails();
  await choose(page);
  await uploaded(page);
  await page.getByRole('button', { name: 'Remove file' }).click();
  expect(await isFocused(page, 'Photo of your roof')).toBe(true);
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted().at(-1).data).toHaveProperty('roof_photo', null);
});

test('if the visitor continues during an upload, the step is sent as soon as the file is uploaded', async () => {
  const { go, answer } = held(takeUpload);
  stub().answer('/upload', answer);
  const page = await openDetails();
  await choose(page);
  await takeSecondStep(page);
  await status(page, 'Sending');
  await page.waitForTimeout(300);
  expect(submitted()).toHaveLength(1);
  go();
  await arrivedAtContact(page);
  expect(submitted()[1].data.roof_photo).toBe(UUID);
});

test('cancelling an upload ends its request', async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  stub().answer('/upload', (response) => {
    response.on('close', () => ended.resolve());
    begun.resolve();
  });
  const page = await openDetails();
  await choose(page);
  await begun.promise;
  await page.getByRole('button', { name: 'Cancel' }).click();
  await ended.promise;
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted().at(-1).data.roof_photo).toBeNull();
});

test.each([
  [413, 'payload_too_large', 'This file is too large.'],
  [415, 'unsupported_media_type', 'Files of this type are not accepted.'],
  [400, 'bad_request', 'This file could not be uploaded.'],
])('%i %s: the field shows the error, and the visitor can continue without a file', async (status, code, text) => {
  stub().answer('/upload', refuse(status, code));
  const page = await openDetails();
  await choose(page);
  await page.getByText(text).waitFor();
  expect(await page.getByLabel('Photo of your roof').getAttribute('aria-invalid')).toBe('true');
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted().at(-1).data.roof_photo).toBeNull();
  expect(stub().received('/upload')).toHaveLength(1);
});

test('429: the file stays chosen, and the upload is retried when the visitor continues', async () => {
  stub().answer(
    '/upload',
    refuse(429, 'rate_limited', { 'Retry-After': '42' }),
    refuse(429, 'rate_limited', { 'Retry-After': '40' }),
    takeUpload,
  );
  const page = await openDetails();
  await choose(page);
  await status(page, 'Please try again in 42 s.');
  await takeSecondStep(page);
  await status(page, 'Please try again in 40 s.');
  expect(submitted()).toHaveLength(1);
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted()[1].data.roof_photo).toBe(UUID);
});

test('422: if the API refuses the file when the step is submitted, the visitor can continue without a file', async () => {
  const errors = [{ field: 'roof_photo', code: 'file', message: 'The file is not there.' }];
  const body = { error: { code: 'validation_failed', message: 'Invalid.', validation_errors: errors }, data: HANDLE };
  const page = await openDetails();
  stub().answer('/upload', takeUpload);
  stub().answer(
    '/submit',
    (response) => reply(response, 422, body),
    (response) => reply(response, 200, { data: HANDLE }),
  );
  await choose(page);
  await uploaded(page);
  await takeSecondStep(page);
  await page.getByText('This photo could not be kept.').waitFor();
  expect(await page.getByRole('button', { name: 'Remove file' }).isVisible()).toBe(false);
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted().map(({ data }) => data.roof_photo)).toEqual([undefined, UUID, null]);
});

test('if a page has an upload field, a file that is dropped elsewhere is ignored; dropped text is not ignored', async () => {
  const page = await openDetails();
  const isPrevented = (target: string, add: string) =>
    page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      ${add};
      const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
      return !document.querySelector('${target}').dispatchEvent(drop);
    })()`);
  const file = `dataTransfer.items.add(new File(['bytes'], 'roof.png'))`;
  expect(await isPrevented('body', file)).toBe(true);
  expect(await isPrevented('#roof_photo', file)).toBe(false);
  expect(await isPrevented('body', `dataTransfer.setData('text/plain', 'words')`)).toBe(false);
});

// Assistant

const question = (page: Page) => page.getByLabel('Your question');
const ask = (page: Page) => page.getByRole('button', { name: 'Ask', exact: true });
const stop = (page: Page) => page.getByRole('button', { name: 'Stop' });
const answer = (page: Page) => page.getByRole('region', { name: 'Automatic answer' });
const write = (response: ServerResponse, ...parts: object[]) => {
  if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const part of parts) response.write(`data: ${JSON.stringify(part)}\n\n`);
};
const words = (delta: string) => ({ type: 'text-delta', id: '1', delta });
const FINISH = { type: 'finish', finishReason: 'stop' };
const saying = (text: string) => (response: ServerResponse) => {
  write(response, words(text), FINISH);
  response.end('data: [DONE]\n\n');
};

async function askFor(text: string): Promise<Page> {
  const page = await openDetails();
  await page.getByText('Ask about solar power').click();
  await question(page).fill(text);
  await ask(page).click();
  return page;
}

test('an answer is streamed as plain text, and is marked as busy until it is complete', async () => {
  const { go, answer: rest } = held((response) => {
    write(response, words(' <img src=x><b>battery</b>'), FINISH);
    response.end('data: [DONE]\n\n');
  });
  stub().answer('/ai-stream', (response) => {
    write(response, words('For four people'));
    return rest(response);
  });
  const page = await askFor(' Does a battery pay off? ');
  await answer(page).filter({ hasText: 'For four people' }).waitFor();
  await status(page, 'The answer is being written.');
  expect(await answer(page).getAttribute('aria-live')).toBe('polite');
  expect(await answer(page).getAttribute('aria-busy')).toBe('true');
  expect(await stop(page).evaluate((element) => element.matches(':focus'))).toBe(true);
  go();
  await ask(page).waitFor();
  expect(await answer(page).getAttribute('aria-busy')).toBe('false');
  expect(await answer(page).textContent()).toBe('For four people <img src=x><b>battery</b>');
  expect(await answer(page).locator('*').count()).toBe(0);
  expect(stub().bodies('/ai-stream')).toEqual([{ prompt: 'Does a battery pay off?' }]);
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(JSON.stringify(submitted())).not.toContain('battery pay off');
});

test.each([
  ['404', refuse(404, 'not_found'), 'There is no answer at the moment.'],
  ['429', refuse(429, 'rate_limited', { 'Retry-After': '42' }), 'Please try again in 42 s.'],
  ['no connection', breakOff, 'There is no connection.'],
])('%s: the page says why there is no answer, and the visitor can ask again', async (_what, refusal, text) => {
  stub().answer('/ai-stream', refusal);
  const page = await askFor('Does a battery pay off?');
  await status(page, text);
  expect(await answer(page).isVisible()).toBe(false);
  expect(await question(page).inputValue()).toBe('Does a battery pay off?');
  stub().answer('/ai-stream', saying('It does.'));
  await ask(page).click();
  await answer(page).filter({ hasText: 'It does.' }).waitFor();
});

test('if an answer is cut off, its text stays, and the page says that the answer is not complete', async () => {
  stub().answer('/ai-stream', (response) => {
    write(response, words('A battery stores'));
    setTimeout(() => response.destroy(), 100);
  });
  const page = await askFor('Does a battery pay off?');
  await status(page, 'The answer is not complete.');
  expect(await answer(page).textContent()).toBe('A battery stores');
});

test('stopping an answer ends the request, keeps the text, and moves the focus to the button Ask', async () => {
  const ended = Promise.withResolvers<void>();
  stub().answer('/ai-stream', (response) => {
    write(response, words('A battery stores'));
    response.on('close', () => ended.resolve());
  });
  const page = await askFor('Does a battery pay off?');
  await answer(page).filter({ hasText: 'A battery stores' }).waitFor();
  await page.keyboard.press('Enter');
  await ended.promise;
  await status(page, 'The answer was stopped.');
  expect(await answer(page).textContent()).toBe('A battery stores');
  expect(await ask(page).evaluate((element) => element.matches(':focus'))).toBe(true);
});

test('an empty question is not sent', async () => {
  const page = await askFor('   ');
  expect(await isFocused(page, 'Your question')).toBe(true);
  expect(stub().received('/ai-stream')).toEqual([]);
});
