import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../shared/ai/language-model.ts';
import { createOpenAiModel } from '../../../shared/ai/openai/openai-model.ts';
import type { ModelAnswer } from '../../support/text-model-server.ts';
import { aRequest, bedrock, readModelResponse, useTextModelServer } from '../../support/text-models.ts';

const server = useTextModelServer();

const makers = {
  openai: () => createOpenAiModel({ baseUrl: server().baseUrl, modelId: 'm', apiKey: async () => 'sk-test' }),
  bedrock: () => bedrock('anthropic.model-v1:0'),
};

const isFailure = (billable: boolean) => ({ name: 'ModelError', billable });

describe.each(['openai', 'bedrock'] as const)('the %s adapter', (provider) => {
  const make = makers[provider];

  test('returns the deltas, the finish reason and the usage', async () => {
    server().answer({ deltas: ['Grüße', ' aus', ' \u{1f3e0}'], usage: { input: 21, output: 9 } });
    const { parts, failure } = await readModelResponse(make());
    expect(failure).toBeUndefined();
    expect(parts).toEqual([
      { text: 'Grüße' },
      { text: ' aus' },
      { text: ' \u{1f3e0}' },
      { finish: 'stop' },
      { usage: { inputTokens: 21, outputTokens: 9 } },
    ]);
  });

  test('returns exactly the text of the model, even if the network splits the response anywhere', async () => {
    const unit = fc.constantFrom('a', '\n', 'data: ', '"', '\\', 'ß', '€', '\u{1f600}', '\u2028', '\r');
    const deltas = fc.array(fc.string({ unit, minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(deltas, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (said, sizes) => {
        server().answer({ deltas: said, cut: cutBy(sizes) });
        const { text, failure } = await readModelResponse(make());
        expect(failure).toBeUndefined();
        expect(text).toBe(said.join(''));
      }),
      { seed: 11, numRuns: 150 },
    );
  });

  test('accepts a response that arrives in single bytes', async () => {
    server().answer({ deltas: ['Grü', 'ße'], cut: cutBy([1]) });
    expect((await readModelResponse(make())).text).toBe('Grüße');
  });

  test('accepts a response of 10 MB', async () => {
    const delta = 'ß'.repeat(5_000);
    server().answer({ deltas: Array<string>(1_000).fill(delta) });
    const { text } = await readModelResponse(make());
    expect(Buffer.byteLength(text)).toBe(10_000_000);
  });

  test.each([400, 401, 403, 404, 429, 500, 503])('status %i: throws an error that is not billable', async (status) => {
    const said = '{"error":{"message":"A secret question?"},"message":"A secret question?"}';
    server().answer({ status, said });
    const { parts, failure } = await readModelResponse(make());
    expect(parts).toEqual([]);
    expect(failure).toMatchObject(isFailure(false));
    expect(failure?.message).toContain(String(status));
    expect(failure?.message).not.toContain('secret');
    expect(failure?.cause).toBeUndefined();
  });

  test.each([
    ['breaks the connection', 'reset', 0],
    ['breaks the connection', 'cut', 2],
    ['ends the response', 'end', 0],
    ['ends the response', 'end', 2],
    ['reports an error', 'error', 0],
    ['reports an error', 'error', 2],
    ['sends garbage', 'garbage', 0],
    ['sends garbage', 'garbage', 2],
  ] as const)('throws a billable error if the server %s (%s) after %i deltas', async (_, happens, delta) => {
    server().answer({ deltas: ['So', ' it'], at: { delta, happens } });
    const { text, failure } = await readModelResponse(make());
    expect(text).toBe(['', 'So', 'So it'][delta]);
    expect(failure).toBeInstanceOf(ModelError);
    expect(failure).toMatchObject(isFailure(true));
    expect(failure?.message).not.toMatch(/prompt|secret/);
    expect(failure?.cause).toBeUndefined();
  });

  test.each([0, 1])('closes the connection if the request is aborted after %i deltas', async (delta) => {
    server().answer({ deltas: ['So'], at: { delta, happens: 'silence' } });
    const stop = new AbortController();
    const outcome = readModelResponse(make(), aRequest({ signal: stop.signal }));
    while (server().calls.length === 0) await sleep(2);
    await sleep(20);
    stop.abort();
    expect((await outcome).failure).toBeInstanceOf(ModelError);
    expect(await server().calls[0]?.over).toBe('left');
  });

  test('stops reading from the server while the consumer reads nothing', async () => {
    const delta = 'x'.repeat(64_000);
    server().answer({ deltas: Array<string>(1_500).fill(delta) });
    const stop = new AbortController();
    const parts = make()
      .stream(aRequest({ signal: stop.signal }))
      [Symbol.asyncIterator]();
    await parts.next();
    await sleep(300);
    // The response has 96 MB. While nothing is read, the server can only fill the buffers of both sockets. They hold
    // much less than 20 MB.
    expect(server().calls[0]?.bytesWritten).toBeLessThan(20_000_000);
    stop.abort();
    expect(await server().calls[0]?.over).toBe('left');
  });
});

function cutBy(sizes: readonly number[]): NonNullable<ModelAnswer['cut']> {
  let cuts = 0;
  return (bytes) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; cuts++) {
      const size = sizes[cuts % sizes.length] ?? 1;
      pieces.push(bytes.subarray(at, at + size));
      at += size;
    }
    return pieces;
  };
}
