import { setTimeout as delay } from 'node:timers/promises';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import { expect, test } from 'vitest';
import type { LambdaResponseStream } from '../../../../infra/local/lambda/globals.ts';
import { installLambdaGlobals } from '../../../../infra/local/lambda/globals.ts';
import { anOperation, useGateway } from '../../../support/local/gateway.ts';

type Run = (event: unknown, stream: LambdaResponseStream) => Promise<unknown>;
declare const awslambda: {
  streamifyResponse(run: Run): Run;
  HttpResponseStream: { from(stream: LambdaResponseStream, prelude: object): LambdaResponseStream };
};

installLambdaGlobals();

let destroyed: Promise<unknown> = Promise.resolve();
/**
 * The handler `words` waits for this promise after each word. The test resolves it when it has read the word. Each word
 * is therefore a chunk of its own.
 */
let read = Promise.withResolvers<void>();
const begin = (stream: LambdaResponseStream, status = 200) =>
  awslambda.HttpResponseStream.from(stream, { statusCode: status, headers: { 'content-type': 'text/plain' } });

const handlers: Record<string, Run> = {
  words: async (_event, stream) => {
    const body = begin(stream, 201);
    for (const word of ['one ', 'two ', 'three']) {
      read = Promise.withResolvers();
      body.write(word);
      await read.promise;
    }
    body.end();
  },
  'by-hand': async (_event, stream) => {
    stream.write('{"statusCode":202,"hea');
    stream.write('ders":{"x-hand":"1"}}\0\0\0\0');
    stream.write('\0\0\0\0body');
    stream.end();
  },
  empty: async (_event, stream) => begin(stream, 204).end(),
  endless: async (_event, stream) => {
    const body = begin(stream);
    destroyed = new Promise((resolve) => body.once('error', resolve));
    while (!body.destroyed) {
      body.write('x');
      await delay(5);
    }
  },
  'large-body': async (_event, stream) => {
    const body = begin(stream);
    for (let index = 0; index < 160; index++) {
      if (!body.write(Buffer.alloc(65_536, 'y'))) await new Promise((resolve) => body.once('drain', resolve));
    }
  },
  'fails-before': () => Promise.reject(new Error('broken')),
  'fails-after': async (_event, stream) => {
    begin(stream).write('begun');
    await delay(20);
    throw new Error('broken');
  },
  'no-prelude': async (_event, stream) => stream.end('hello'),
  'bad-prelude': async (_event, stream) => stream.end(`{"statusCode":"x"}${'\0'.repeat(8)}`),
  late: async (_event, stream) => {
    begin(stream).write('begun');
    await delay(5_000);
  },
};

const origin = useGateway([
  ...Object.entries(handlers).map(([name, run]) => ({
    declared: anOperation(`test/${name}`, `POST /api/v2/${name}`, {
      limits: { timeoutSeconds: name === 'late' ? 1 : 20, memoryMb: 512 },
    }),
    handler: awslambda.streamifyResponse(run),
  })),
  {
    declared: anOperation('test/middy', 'POST /api/v2/middy'),
    handler: middy({ executionMode: executionModeStreamifyResponse }).handler(async () => ({
      statusCode: 200,
      headers: { 'x-stack': 'middy' },
      body: new Blob(['from ', 'middy']).stream(),
    })) as unknown as Run,
  },
]);

const call = (name: string, signal?: AbortSignal) =>
  fetch(`${origin()}/api/v2/${name}`, { method: 'POST', ...(signal ? { signal } : {}) });

test('the status and the headers are sent with the first bytes, and each chunk is sent when it is written', async () => {
  const answer = await call('words');
  expect(answer.status).toBe(201);
  expect(answer.headers.get('content-type')).toBe('text/plain');
  const chunks: string[] = [];
  for await (const chunk of answer.body ?? []) {
    chunks.push(Buffer.from(chunk).toString());
    read.resolve();
  }
  expect(chunks).toEqual(['one ', 'two ', 'three']);
});

test('a prelude that is written in pieces is accepted', async () => {
  const answer = await call('by-hand');
  expect([answer.status, answer.headers.get('x-hand'), await answer.text()]).toEqual([202, '1', 'body']);
});

test('a streamed response without a body has the status that the function sets', async () => {
  expect((await call('empty')).status).toBe(204);
});

test("middy's streaming mode is supported", async () => {
  const answer = await call('middy');
  expect([answer.headers.get('x-stack'), await answer.text()]).toEqual(['middy', 'from middy']);
});

test('a streamed response may exceed the size limit of buffered responses, and ends when the function returns', async () => {
  expect((await (await call('large-body')).arrayBuffer()).byteLength).toBe(160 * 65_536);
});

test('the stream is destroyed when the client disconnects, so that the function stops', async () => {
  const leaving = new AbortController();
  const answer = await call('endless', leaving.signal);
  expect(answer.status).toBe(200);
  leaving.abort();
  expect(await destroyed).toMatchObject({ message: 'The client disconnected.' });
});

test('502: a request fails if its function fails before the first byte, or if the prelude is missing or invalid', async () => {
  for (const name of ['fails-before', 'no-prelude', 'bad-prelude']) {
    const answer = await call(name);
    expect({ name, status: answer.status }).toEqual({ name, status: 502 });
    expect(await answer.json()).toMatchObject({ error: { code: 'internal_error' } });
  }
});

test('the connection is closed if the function fails or times out after the first byte', async () => {
  for (const name of ['fails-after', 'late']) {
    const answer = await call(name);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  }
});
