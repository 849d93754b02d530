import { expect, test } from 'vitest';
import { setUpSubmit } from '../../../support/leads/submit.ts';

/** Returns the status of a first submit from an origin, and the number of leads after the submit. */
async function outcome(allowedOrigins: string[], origin: string | undefined) {
  const { post, stored } = setUpSubmit({ funnel: { allowedOrigins } });
  const { status } = await post({ data: {} }, origin === undefined ? {} : { origin });
  return [status, stored.all().length];
}

test.each([
  ['https://shop.example', 'https://shop.example'],
  ['https://Shop.example', 'https://shop.example'],
  ['https://shop.example/', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example'],
  ['http://shop.example:80', 'http://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['https://müller.example', 'https://xn--mller-kva.example'],
  ['http://[2001:db8::1]:3000', 'http://[2001:db8::1]:3000'],
])('200: a funnel that allows %s accepts a lead from %s', async (listed, origin) => {
  expect(await outcome(['https://other.example', listed], origin)).toEqual([200, 1]);
});

test.each([
  ['https://shop.example', 'http://shop.example'],
  ['https://shop.example', 'https://shop.example:8443'],
  ['https://shop.example', 'https://www.shop.example'],
  ['https://shop.example', 'https://shop.example.evil.example'],
  ['https://shop.example', 'https://evil.example#shop.example'],
  ['https://shop.example', 'null'],
  ['https://shop.example', ''],
  ['null', 'null'],
  ['*', 'https://shop.example'],
  ['not an origin', 'not an origin'],
])('403: a funnel that allows %s stores nothing from %j', async (listed, origin) => {
  expect(await outcome([listed], origin)).toEqual([403, 0]);
});

test('200: a funnel without allowed origins accepts a lead from a sandboxed page, whose origin is null', async () => {
  expect(await outcome([], 'null')).toEqual([200, 1]);
});

test('200: accepts a request without an Origin header, because servers send none', async () => {
  expect(await outcome(['https://shop.example'], undefined)).toEqual([200, 1]);
});
