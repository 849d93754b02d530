import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { breakOff, refuse } from '../../../support/browser/stub-api.ts';
import { arriveAtDetails } from '../../../support/browser/walk.ts';
import { withStub } from '../../../support/browser/with-stub.ts';

const { stub, open } = withStub();

async function openAssistant(): Promise<Page> {
  const page = await open();
  await arriveAtDetails(page);
  await page.getByText('Ask about solar power').click();
  return page;
}

const question = (page: Page) => page.getByLabel('Your question');
const ask = (page: Page) => page.getByRole('button', { name: 'Ask', exact: true });
const stop = (page: Page) => page.getByRole('button', { name: 'Stop' });
const answer = (page: Page) => page.getByRole('region', { name: 'Automatic answer' });
const problem = (page: Page) => page.locator('#assistant-problem');

async function askFor(page: Page, words: string): Promise<void> {
  await question(page).fill(words);
  await ask(page).click();
}

const begin = (response: ServerResponse, words: string) =>
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).write(words);
const saying = (words: string) => (response: ServerResponse) => {
  begin(response, words);
  response.end();
};
const cutAfter = (words: string) => (response: ServerResponse) => {
  begin(response, words);
  setTimeout(() => response.destroy(), 100);
};

test('the assistant shows the streamed text as plain text, without interpreting HTML', async () => {
  const rest = Promise.withResolvers<void>();
  stub().answer('/ai-stream', async (response) => {
    // The network may split a multi-byte character.
    const bytes = Buffer.from('For four people ä');
    begin(response, '');
    response.write(bytes.subarray(0, -1));
    await rest.promise;
    response.write(bytes.subarray(-1));
    response.end(' <img src=x><b>battery</b>');
  });
  const page = await openAssistant();
  await askFor(page, ' Does a battery pay off? ');
  await answer(page).filter({ hasText: 'For four people' }).waitFor();
  expect(await answer(page).getAttribute('aria-busy')).toBe('true');
  expect(await stop(page).isVisible()).toBe(true);
  rest.resolve();
  await ask(page).waitFor();
  expect(await answer(page).textContent()).toBe('For four people ä <img src=x><b>battery</b>');
  expect(await answer(page).locator('*').count()).toBe(0);
  expect(await problem(page).isVisible()).toBe(false);
  expect(stub().bodies('/ai-stream')).toEqual([{ prompt: 'Does a battery pay off?' }]);
});

test('screen readers are informed that an answer is being written, and then get the whole text once', async () => {
  stub().answer('/ai-stream', async (response) => {
    begin(response, 'One');
    for (const word of [' two', ' three', ' four']) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      response.write(word);
    }
    response.end();
  });
  const page = await openAssistant();
  await page.evaluate(`
    const heard = document.querySelector('[data-ai="heard"]');
    window.heard = [];
    new MutationObserver(() => heard.textContent && window.heard.push(heard.textContent)).observe(heard, { childList: true });
  `);
  await askFor(page, 'Does a battery pay off?');
  await ask(page).waitFor();
  expect(await page.evaluate('window.heard')).toEqual(['The answer is being written.', 'One two three four']);
});

test.each([
  [404, {}, 'There is no assistant here'],
  [429, { 'Retry-After': '42' }, 'Please try again in 42 seconds.'],
  [429, { 'Retry-After': '30000' }, 'Please try again in 9 hours.'],
  [500, {}, 'can’t answer at the moment'],
  [502, {}, 'can’t answer at the moment'],
  [503, {}, 'can’t answer at the moment'],
])(
  '%i with the headers %o: the assistant shows a message, keeps the question, and allows another attempt',
  async (status, headers, words) => {
    stub().answer('/ai-stream', refuse(status, 'any', headers), saying('It does.'));
    const page = await openAssistant();
    await askFor(page, 'Does a battery pay off?');
    await problem(page).filter({ hasText: words }).waitFor();
    expect(await answer(page).isVisible()).toBe(false);
    expect(await question(page).inputValue()).toBe('Does a battery pay off?');
    await ask(page).click();
    await answer(page).filter({ hasText: 'It does.' }).waitFor();
    expect(await problem(page).isVisible()).toBe(false);
  },
);

test('if the stream is interrupted, the assistant keeps the text and shows that the text is incomplete', async () => {
  stub().answer('/ai-stream', cutAfter('A battery stores'));
  const page = await openAssistant();
  await askFor(page, 'Does a battery pay off?');
  await problem(page).filter({ hasText: 'The answer was cut short.' }).waitFor();
  expect(await answer(page).textContent()).toBe('A battery stores');
  expect(await ask(page).isVisible()).toBe(true);
});

test('without a connection, the assistant keeps the question and does not send it again', async () => {
  stub().answer('/ai-stream', breakOff);
  const page = await openAssistant();
  await askFor(page, 'Does a battery pay off?');
  await problem(page).filter({ hasText: 'can’t reach our server' }).waitFor();
  expect(stub().received('/ai-stream')).toHaveLength(1);
  await page.reload();
  await page.getByText('Ask about solar power').click();
  expect(await question(page).inputValue()).toBe('Does a battery pay off?');
});

test('if the visitor stops the answer, the assistant keeps the text and ends the request', async () => {
  const ended = Promise.withResolvers<void>();
  stub().answer('/ai-stream', (response) => {
    begin(response, 'A battery stores');
    response.on('close', () => ended.resolve());
  });
  const page = await openAssistant();
  await question(page).fill('Does a battery pay off?');
  await ask(page).focus();
  await page.keyboard.press('Enter');
  await answer(page).filter({ hasText: 'A battery stores' }).waitFor();
  expect(await stop(page).evaluate((element) => element.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
  await ended.promise;
  await problem(page).filter({ hasText: 'You stopped the answer.' }).waitFor();
  expect(await answer(page).textContent()).toBe('A battery stores');
  expect(await ask(page).evaluate((element) => element.matches(':focus'))).toBe(true);
});

test('the assistant sends only questions of 1 to 4,000 characters, and counts an emoji as one character', async () => {
  stub().answer('/ai-stream', saying('Yes.'));
  const page = await openAssistant();
  for (const wrong of ['   ', '☀'.repeat(4_001)]) {
    await askFor(page, wrong);
    await problem(page).waitFor();
    expect(await question(page).evaluate((element) => element.matches(':focus'))).toBe(true);
  }
  expect(stub().received('/ai-stream')).toEqual([]);
  const longest = '🌞'.repeat(4_000);
  await question(page).fill(longest);
  expect(await page.getByText('4,000 / 4,000').isVisible()).toBe(true);
  await ask(page).click();
  await answer(page).filter({ hasText: 'Yes.' }).waitFor();
  expect(stub().bodies('/ai-stream')).toEqual([{ prompt: longest }]);
});

test('the question is not added to the lead', async () => {
  const page = await openAssistant();
  await question(page).fill('Does a battery pay off?');
  await page.getByLabel('People in the household').fill('4');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Where do we send' }).waitFor();
  expect(JSON.stringify(stub().bodies('/submit'))).not.toContain('battery pay off');
});
