import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';

let runtime: LocalRuntime;
beforeAll(async () => {
  runtime = await startLocalRuntime({ args: ['--empty'], env: { AI_BASE_URL: '' } });
}, 120_000);
afterAll(() => runtime?.stop());

const ask = (prompt: string, headers: Record<string, string> = {}) =>
  fetch(`${runtime.demo.baseUrl}/api/v2/public/funnel/${runtime.demo.funnel.id}/ai-stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ prompt }),
  });

test('200: the built-in writer streams sentences of the funnel’s texts in many parts, labelled as built-in', async () => {
  const answer = await ask('Wie lange dauert die Montage?');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const chunks: string[] = [];
  for await (const chunk of answer.body ?? []) chunks.push(Buffer.from(chunk).toString());
  expect(chunks.length).toBeGreaterThan(10);
  expect(chunks.join('')).toMatch(/ohne Sprachmodell\.\][\s\S]*acht bis zwölf Wochen/);
});

test('200: the metadata of the server-sent events names the built-in writer', async () => {
  const answer = await ask('How long does it take?', { accept: 'text/event-stream' });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('"messageMetadata":{"writer":"builtin"}');
});

test('429: too many requests within a minute are rejected with the time to wait', async () => {
  const statuses: number[] = [];
  for (let turn = 0; turn < 21 && !statuses.includes(429); turn++) {
    const answer = await ask('?');
    statuses.push(answer.status);
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await answer.body?.cancel();
  }
  expect(statuses.at(-1)).toBe(429);
});
