import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { ModelError } from '../../../../shared/ai/language-model.ts';
import { aModel, says, setUpAiStream } from '../../../support/ai-stream.ts';

/** Creates a model that emits the deltas, then hangs until its call is aborted. Adds the error’s name to `over`. */
function aHangingModel(before: string[]) {
  const over: unknown[] = [];
  const played = aModel(async function* ({ signal }) {
    for (const text of before) yield { text };
    await sleep(60_000, undefined, { signal }).catch((error: Error) => over.push(error.name));
    throw new ModelError('The call was aborted.', { billable: true });
  });
  return { ...played, over };
}

test('if a client disconnects, the call at the provider ends and unused tokens are refunded', async () => {
  const { model, over, requests } = aHangingModel(['So', ' it is']);
  const { post, used } = setUpAiStream({ model });
  let chunks = 0;
  await post('Why?', {}, { onChunk: (_, leave) => void (++chunks === 2 && leave()) });
  expect(over).toEqual(['AbortError']);
  const input = Buffer.byteLength(`${requests[0]?.system}Why?`) + 32;
  expect(used()).toEqual([input + 8, input + 8]);
});

test('a disconnect before the first token ends the call, refunds unused tokens, and logs no error', async () => {
  const lines = vi.mocked(process.stdout.write);
  const leaving = new AbortController();
  const { model, over, requests } = aHangingModel([]);
  const { post, used } = setUpAiStream({ model });
  setTimeout(() => leaving.abort(), 20);
  await post('Why?', {}, { signal: leaving.signal });
  expect(over).toEqual(['AbortError']);
  const input = Buffer.byteLength(`${requests[0]?.system}Why?`) + 32;
  expect(used()).toEqual([input, input]);
  expect(lines.mock.calls.filter(([line]) => String(line).includes('"level":"error"'))).toEqual([]);
});

test('a model that sends deltas of 1 KB is always less than 25 deltas ahead of a slow client', async () => {
  let [given, read, ahead] = [0, 0, 0];
  const { model } = aModel(async function* () {
    for (let turn = 0; turn < 200; turn++) {
      given++;
      ahead = Math.max(ahead, given - read);
      yield { text: `${turn} `.padEnd(1_000, 'x') };
    }
    yield { finish: 'stop' };
  });
  const { post } = setUpAiStream({ model, block: { outputTokensMax: 4_096 } });
  const onChunk = async () => {
    await sleep(1);
    read++;
  };
  await post('Why?', {}, { onChunk });
  expect(read).toBeGreaterThan(60);
  // The stream buffers 16 KB (16 deltas). A few more deltas are on their way to the stream.
  expect(ahead).toBeLessThan(25);
});

test('a failure after the first token aborts a text/plain response, and is logged without prompt and output', async () => {
  const lines = vi.mocked(process.stdout.write);
  const { model } = aModel(async function* () {
    yield { text: 'So confidential' };
    throw new ModelError('The connection broke.', { billable: true });
  });
  const response = await setUpAiStream({ model }).post('My secret prompt');
  expect(response).toMatchObject({ status: 200, text: 'So confidential', broken: { name: 'ModelError' } });
  const logged = lines.mock.calls.map(([line]) => String(line)).join('');
  expect(logged).toContain('The model failed after its first token.');
  expect(logged).not.toMatch(/secret prompt|confidential/);
});

test('the prompt and the model’s output are never logged', async () => {
  const lines = vi.mocked(process.stdout.write);
  const answered = aModel(says('So confidential'));
  const failing = aModel(async function* () {
    yield { text: '' };
    throw new ModelError('It refused.', { billable: false });
  });
  for (const { model } of [answered, failing]) await setUpAiStream({ model }).post('My secret prompt');
  await setUpAiStream({ block: { dailyTokens: 1 } }).post('My secret prompt');
  await setUpAiStream({ block: null }).post('My secret prompt');
  const logged = lines.mock.calls.map(([line]) => String(line)).join('');
  expect(logged).toContain('AiTokens');
  expect(logged).not.toMatch(/secret prompt|confidential|You sell roofs/);
});

test.each([
  ['gives no text in time', { firstTextMs: 20 }, [], 502],
  ['gives no further text in time', { betweenPartsMs: 20 }, ['So'], 200],
  ['does not end in time', { wholeMs: 40 }, ['So'], 200],
])('if the model %s, the request to it is aborted', async (_, pace, before, status) => {
  const { model, over } = aHangingModel(before);
  const response = await setUpAiStream({ model, pace }).post('Why?');
  expect(response.status).toBe(status);
  if (status === 200) expect(response.broken).toBeInstanceOf(ModelError);
  expect(over).toEqual(['AbortError']);
});
