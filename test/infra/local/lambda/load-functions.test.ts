import { expect, test } from 'vitest';
import { isStreaming } from '../../../../infra/local/lambda/globals.ts';
import { createFunctionLoader } from '../../../../infra/local/lambda/load-functions.ts';

const getFunction = createFunctionLoader([
  { id: 'funnel/not-built' },
  { id: 'funnel/not-built-stream', streamContentTypes: ['text/plain'] },
]);

test('a function without a bundle fails only when it is invoked', async () => {
  const handler = getFunction('funnel/not-built');
  await expect(handler({}, {})).rejects.toThrow(/not-built/);
  await expect(handler({}, {})).rejects.toThrow(/not-built/);
});

test('the handler of a streaming operation is marked as streaming even without a bundle', () => {
  expect(isStreaming(getFunction('funnel/not-built'))).toBe(false);
  expect(isStreaming(getFunction('funnel/not-built-stream'))).toBe(true);
});

test('the error for an unknown function contains its id', () => {
  expect(() => getFunction('funnel/unknown')).toThrow('lists no function funnel/unknown');
});
