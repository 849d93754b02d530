import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { noisePng } from '../../../support/browser/png.ts';
import { breakOff, HANDLE, type Received, refuse, reply } from '../../../support/browser/stub-api.ts';
import { arriveAtDetails, fillThirdStep, requestOffer, takeSecondStep } from '../../../support/browser/walk.ts';
import { withStub } from '../../../support/browser/with-stub.ts';

const { stub, open } = withStub();

const UUID = 'c6f6a3c2-2a0e-4f0e-9d3e-1f1f6d2a10aa';
const record = { uuid: UUID, name: 'roof.png', size: 1, mimeType: 'image/png', storagePath: 'a/b/c.png' };
const takeUpload = (response: Parameters<typeof reply>[0]) => reply(response, 200, { data: record });
const photo = (bytes = noisePng(40, 30), name = 'roof.png') => ({ name, mimeType: 'image/png', buffer: bytes });

async function openDetails(): Promise<Page> {
  const page = await open();
  await arriveAtDetails(page);
  return page;
}

const choose = (page: Page, file: ReturnType<typeof photo>) => page.getByLabel('Choose photo').setInputFiles(file);
const uploaded = (page: Page) => page.getByText(', uploaded');
const fault = (page: Page) => page.locator('#photo-fault');
const isFocused = (page: Page, label: string) =>
  page.getByLabel(label).evaluate((element) => element.matches(':focus'));
const submitted = () => stub().bodies('/submit');
const arrivedAtContact = (page: Page) => page.getByRole('heading', { name: 'Where do we send' }).waitFor();

/** Creates a response that is sent only after `go` was called. */
function held(answer: (response: Parameters<typeof reply>[0], received: Received) => void) {
  const go = Promise.withResolvers<void>();
  return {
    go: go.resolve,
    answer: async (...exchange: Parameters<typeof answer>) => {
      await go.promise;
      answer(...exchange);
    },
  };
}

test('a chosen photo is uploaded immediately, shown, kept after a reload and sent with the step', async () => {
  stub().answer('/upload', takeUpload);
  const page = await openDetails();
  const bytes = noisePng(40, 30);
  await choose(page, photo(bytes));
  await uploaded(page).waitFor();
  await page.locator('[data-photo="thumb"]').waitFor();

  const [form] = stub().received('/upload');
  expect(form?.contentType).toMatch(/^multipart\/form-data; boundary=/);
  for (const part of ['name="blockId"\r\n\r\nblock-id\r\n', 'name="organizationId"\r\n\r\norg-id\r\n']) {
    expect(form?.body.includes(part)).toBe(true);
  }
  expect(form?.body.includes(bytes)).toBe(true);

  await page.reload();
  await page.getByText('roof.png').waitFor();
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted().at(-1)).toMatchObject({ step_id: 'details', data: { roof_photo: UUID } });
  expect(stub().received('/upload')).toHaveLength(1);
});

test('removing a photo clears it in the lead and moves the focus to the file input', async () => {
  stub().answer('/upload', takeUpload);
  const page = await openDetails();
  await choose(page, photo());
  await uploaded(page).waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  expect(await isFocused(page, 'Choose photo')).toBe(true);
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted().at(-1).data).toHaveProperty('roof_photo', null);
});

test('a file over 4 MB is announced to the service and then posted to S3 as the last field of a signed form', async () => {
  const fields = { key: 'a/b/c.png', policy: 'signed' };
  const direct = { url: `${stub().url}/store`, fields, expiresAt: '2030-01-01T00:00:00.000Z' };
  stub().answer('/upload', (response) => reply(response, 200, { data: record, upload: direct }));
  stub().answer('/store', breakOff, (response) => void response.writeHead(204).end());
  const page = await openDetails();
  const bytes = noisePng(1_300, 1_100);
  await choose(page, photo(bytes));
  await uploaded(page).waitFor();

  const announced = { blockId: 'block-id', organizationId: 'org-id', name: 'roof.png', mimeType: 'image/png' };
  expect(stub().bodies('/upload')).toEqual([{ ...announced, size: bytes.length }]);
  const [lost, sent] = stub().received('/store');
  expect(lost).toBeDefined();
  expect(sent?.body.indexOf('signed')).toBeGreaterThan(0);
  expect(sent?.body.indexOf(bytes)).toBeGreaterThan(sent?.body.indexOf('signed') ?? 0);
  expect(sent?.body.includes('name="blockId"')).toBe(false);
});

test.each([
  [400, 'bad_request', 'seems to be damaged'],
  [404, 'not_found', 'can’t take photos at the moment'],
  [413, 'payload_too_large', 'too large: up to 25 MB'],
  [415, 'unsupported_media_type', 'This kind of file is not possible'],
  [429, 'rate_limited', 'Please try again in 42 seconds.'],
])('%i %s: the page shows what is wrong, and the visitor can continue without a photo', async (status, code, words) => {
  stub().answer('/upload', refuse(status, code, { 'Retry-After': '42' }));
  const page = await openDetails();
  await choose(page, photo());
  await fault(page).filter({ hasText: words }).waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(status === 429);
  expect(stub().received('/upload')).toHaveLength(1);
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted().at(-1).data).toHaveProperty('roof_photo', null);
});

test.each([
  ['an empty file', Buffer.alloc(0), 'This file is empty'],
  ['a file over 25 MB', Buffer.alloc(25 * 1024 * 1024 + 1), 'too large: up to 25 MB'],
])('%s is rejected before sending', async (_what, bytes, words) => {
  const page = await openDetails();
  await choose(page, photo(bytes));
  await fault(page).filter({ hasText: words }).waitFor();
  expect(stub().received('/upload')).toEqual([]);
});

test('an upload is retried three times; after that, the visitor can try again with the same photo', async () => {
  stub().answer('/upload', breakOff, refuse(503, 'service_unavailable'), breakOff, breakOff, takeUpload);
  const page = await openDetails();
  await choose(page, photo());
  await fault(page).filter({ hasText: 'The connection broke off.' }).waitFor();
  expect(stub().received('/upload')).toHaveLength(4);
  await page.getByRole('button', { name: 'Try again' }).click();
  await uploaded(page).waitFor();
});

test('if the visitor cancels a replacement, the upload is aborted and the previous photo is kept', async () => {
  const page = await openDetails();
  const second = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  stub().answer('/upload', takeUpload, (response) => {
    response.on('close', () => ended.resolve());
    second.resolve();
  });
  await choose(page, photo(undefined, 'first.png'));
  await uploaded(page).waitFor();
  await page.getByLabel('Replace').setInputFiles(photo(undefined, 'second.png'));
  await second.promise;
  await page.getByText('second.png', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await ended.promise;
  await page.getByText('first.png', { exact: true }).waitFor();
  expect(await isFocused(page, 'Replace')).toBe(true);
});

test('if the visitor continues during an upload, the photo is added to the lead when it is uploaded', async () => {
  const { go, answer } = held(takeUpload);
  stub().answer('/upload', answer);
  const page = await openDetails();
  await choose(page, photo());
  await takeSecondStep(page);
  await page.getByText('Your photo is being uploaded').waitFor();
  expect(submitted()).toHaveLength(2);
  go();
  await expect.poll(() => submitted().length).toBe(3);
  const { lead_id, step_id, data } = submitted()[2];
  expect({ lead_id, step_id, data }).toEqual({ lead_id: HANDLE.id, step_id: undefined, data: { roof_photo: UUID } });
  expect(await page.getByText('Your photo is being uploaded').isVisible()).toBe(false);
  await fillThirdStep(page, 'kim@example.com');
  await requestOffer(page);
  await page.getByLabel('Six-digit code').waitFor();
  expect(submitted()).toHaveLength(4);
});

test('if an upload fails after its step, a button leads back to the step and its error message', async () => {
  const { go, answer } = held(refuse(415, 'unsupported_media_type'));
  stub().answer('/upload', answer);
  const page = await openDetails();
  await choose(page, photo());
  await takeSecondStep(page);
  await arrivedAtContact(page);
  go();
  await page.getByRole('button', { name: 'See why' }).click();
  expect(await fault(page).textContent()).toContain('This kind of file is not possible');
});

test('422: a visitor whose photo is rejected can continue without a photo', async () => {
  const errors = [{ field: 'roof_photo', code: 'file', message: 'The file is not there.' }];
  const body = { error: { code: 'validation_failed', message: 'Invalid.', validation_errors: errors }, data: HANDLE };
  const page = await openDetails();
  stub().answer('/upload', takeUpload);
  stub().answer(
    '/submit',
    (response) => reply(response, 422, body),
    (response) => reply(response, 200, { data: HANDLE }),
  );
  await choose(page, photo());
  await uploaded(page).waitFor();
  await takeSecondStep(page);
  await fault(page).filter({ hasText: 'We could not keep this photo.' }).waitFor();
  await takeSecondStep(page);
  await arrivedAtContact(page);
  expect(submitted().map(({ data }) => data.roof_photo)).toEqual([undefined, UUID, null]);
});

test('a dropped photo is uploaded', async () => {
  stub().answer('/upload', takeUpload);
  const page = await openDetails();
  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['bytes'], 'dropped.png', { type: 'image/png' }));
    return transfer;
  })()`);
  await page.dispatchEvent('.photo', 'drop', { dataTransfer: dropped });
  await uploaded(page).waitFor();
  expect(await page.locator('[data-photo="name"]').textContent()).toBe('dropped.png');
});

test('a file that is dropped outside the field is ignored, and text can still be dropped', async () => {
  const page = await openDetails();
  const prevented = (add: string) =>
    page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      ${add};
      return !document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    })()`);
  expect(await prevented(`dataTransfer.items.add(new File(['bytes'], 'roof.png'))`)).toBe(true);
  expect(await prevented(`dataTransfer.setData('text/plain', 'words')`)).toBe(false);
  expect(stub().received('/upload')).toEqual([]);
});
