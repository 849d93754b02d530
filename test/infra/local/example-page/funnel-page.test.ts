import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  confirmLater,
  fillThirdStep,
  formsBound,
  requestOffer,
  takeFirstStep,
  takeSecondStep,
  thanks,
} from '../../../support/browser/walk.ts';
import { withRuntime } from '../../../support/browser/with-runtime.ts';

const { demo, browser, open: openFunnel } = withRuntime();

test('three submitted steps add one start and one completion on the numbers page, without a reload', async () => {
  const numbers = await openNumbers();
  const before = await shownNumbers(numbers);

  const page = await openFunnel();
  await takeFirstStep(page);
  await takeSecondStep(page);
  await fillThirdStep(page, 'kim@example.com');
  await requestOffer(page);
  await confirmLater(page);
  await thanks(page).waitFor();

  const after = { starts: before.starts + 1, completions: before.completions + 1 };
  await expect.poll(() => shownNumbers(numbers), { timeout: 45_000, interval: 100 }).toEqual(after);
  // No event is counted twice, even after all events have arrived.
  await numbers.waitForTimeout(2_000);
  expect(await shownNumbers(numbers)).toEqual(after);
}, 60_000);

test('after a failed request, the numbers page shows an error and keeps the numbers; it recovers without a reload', async () => {
  const numbers = await openNumbers();
  const before = await shownNumbers(numbers);
  await numbers.route('**/overview?*', (route) => route.abort('connectionrefused'));
  const problem = numbers.getByRole('alert');
  await problem.filter({ hasText: 'can’t be reached' }).waitFor();
  expect(await shownNumbers(numbers)).toEqual(before);
  await numbers.unroute('**/overview?*');
  await problem.waitFor({ state: 'hidden' });
}, 60_000);

test('422: the page marks invalid fields and focuses the first; after a reload, the fields are empty and a submit succeeds', async () => {
  const page = await openFunnel();
  await takeFirstStep(page);
  await takeSecondStep(page);
  await fillThirdStep(page, 'kim@example');
  await page.getByLabel('Phone').fill('12');
  await requestOffer(page);

  const email = page.getByRole('textbox', {
    name: 'E-mail',
    description: 'This does not look like an e-mail address.',
  });
  await email.waitFor();
  expect(await page.locator('[aria-invalid]').evaluateAll((all) => all.map(({ id }) => id))).toEqual([
    'email',
    'phone',
  ]);
  expect(await email.evaluate((input) => input.matches(':focus'))).toBe(true);
  expect(await page.getByLabel('Six-digit code').isVisible()).toBe(false);

  // Another person who uses the device must not see what the visitor has typed.
  await page.reload();
  await page.getByLabel('Your name').waitFor();
  expect(await page.getByLabel('Your name').inputValue()).toBe('');
  await fillThirdStep(page, 'kim@example.com');
  await page.getByLabel('Phone').fill('030 901820');
  await requestOffer(page);
  await confirmLater(page);
  await thanks(page).waitFor();
}, 60_000);

test('the first submit is repeated with its idempotency key after connection errors, and creates one lead', async () => {
  const leadsBefore = await leadCount();
  const page = await openFunnel();
  const sent: { key: string | undefined; body: string | null }[] = [];
  await page.route('**/submit', async (route) => {
    const request = route.request();
    if (request.method() === 'OPTIONS') return route.continue();
    sent.push({ key: request.headers()['idempotency-key'], body: request.postData() });
    if (sent.length === 1) return route.abort('connectionrefused');
    // The second request is processed, but its response is lost.
    if (sent.length === 2) await route.fetch();
    return sent.length === 2 ? route.abort('connectionreset') : route.continue();
  });
  await takeFirstStep(page);
  await page.getByRole('heading', { name: 'How do you picture it?' }).waitFor();

  expect(sent).toHaveLength(3);
  expect(sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  expect(sent).toEqual([sent[0], sent[0], sent[0]]);
  expect(await leadCount()).toBe(leadsBefore + 1);
}, 60_000);

test('if the visitor reloads before the response, the page repeats the first submit unchanged, then sends the next', async () => {
  const leadsBefore = await leadCount();
  const page = await openFunnel();
  const stored = Promise.withResolvers<void>();
  const bound = Promise.withResolvers<void>();
  const sent: { key: string | undefined; roofArea: string; leadId: string | undefined }[] = [];
  await page.route('**/submit', async (route) => {
    const request = route.request();
    if (request.method() === 'OPTIONS') return route.continue();
    const { data, lead_id } = request.postDataJSON();
    sent.push({ key: request.headers()['idempotency-key'], roofArea: data.roof_area, leadId: lead_id });
    if (sent.length > 1) {
      // The response waits until the reloaded page has bound its forms. With an earlier response, the page would begin
      // at the next step.
      await bound.promise;
      return route.continue();
    }
    // The API processes the request, but the page gets no response before the visitor reloads.
    await route.fetch();
    stored.resolve();
  });
  await takeFirstStep(page);
  await stored.promise;
  await page.reload();
  await formsBound(page);
  bound.resolve();
  await takeFirstStep(page, '120');
  await page.getByRole('heading', { name: 'How do you picture it?' }).waitFor();

  const key = sent[0]?.key;
  expect(sent).toEqual([
    { key, roofArea: '85', leadId: undefined },
    { key, roofArea: '85', leadId: undefined },
    { key: expect.any(String), roofArea: '120', leadId: expect.any(String) },
  ]);
  expect(sent[2]?.key).not.toBe(key);
  expect(await leadCount()).toBe(leadsBefore + 1);
}, 60_000);

test('after a reload, the visitor continues at the same step with the same lead', async () => {
  const page = await openFunnel();
  await takeFirstStep(page);
  await page.getByRole('heading', { name: 'How do you picture it?' }).waitFor();
  const leads = await leadCount();

  await page.reload();
  await takeSecondStep(page);
  await fillThirdStep(page, 'kim@example.com');
  await requestOffer(page);
  await confirmLater(page);
  await thanks(page).waitFor();
  expect(await leadCount()).toBe(leads);
}, 60_000);

async function openNumbers(): Promise<Page> {
  const context = await browser().newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${demo().pages.numbers}?range=all&timezone=UTC`);
  await page.locator('#numbers[aria-busy="false"]').waitFor();
  return page;
}

async function shownNumbers(page: Page): Promise<{ starts: number; completions: number }> {
  const read = async (id: string) => Number((await page.locator(`#${id}`).textContent())?.replaceAll(',', ''));
  return { starts: await read('starts'), completions: await read('completions') };
}

async function leadCount(): Promise<number> {
  const { aws, funnel } = demo();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ endpoint: aws.dynamodb, region: aws.region, credentials });
  const { Items = [] } = await client.send(
    new ScanCommand({ TableName: aws.tables.leads, ProjectionExpression: 'pk', ConsistentRead: true }),
  );
  client.destroy();
  return new Set(Items.map(({ pk }) => pk?.S).filter((pk) => pk?.startsWith(`lead#${funnel.id}#`))).size;
}
