import naughty from 'big-list-of-naughty-strings' with { type: 'json' };
import { expect, test } from 'vitest';
import { aModel, setUpAiStream } from '../../../support/ai-stream.ts';

test('400: rejects blank naughty strings; 200: passes all other strings to the model, trimmed and in NFC', async () => {
  const { model, requests } = aModel(async function* ({ prompt }) {
    yield { text: prompt };
    yield { finish: 'stop' };
  });
  const { call, funnel, limits } = setUpAiStream({ model, block: { outputTokensMax: 4_096 } });
  let refused = 0;
  for (const prompt of naughty) {
    limits.reset();
    const response = await call({ path: { id: funnel.id }, body: { prompt } });
    const kept = prompt.normalize('NFC').trim();
    if (response.status === 400) {
      refused++;
      expect(kept).toBe('');
      expect(response.text).toContain('body.prompt must have 1 to 4000 characters.');
    } else {
      expect(response).toMatchObject({ status: 200, text: kept });
      expect(requests.at(-1)?.prompt).toBe(kept);
    }
  }
  expect([naughty.length > 400, refused < 20]).toEqual([true, true]);
});
