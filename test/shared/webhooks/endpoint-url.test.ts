import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEndpointUrl } from '../../../shared/webhooks/endpoint-url.ts';
import { isPublicAddress } from '../../../shared/webhooks/public-address.ts';
import { HOSTILE_URLS } from './hostile-urls.ts';

const LOCAL = 'http://127.0.0.1:4575';
const options = { ownHostnames: ['api.tributary.example', 'tributary.example'], allowedOrigins: [LOCAL] };
const parse = (text: string) => parseEndpointUrl(text, options);

test.each(HOSTILE_URLS)('%j is refused', (text, problem) => {
  expect(parse(text)).toEqual({ problem: expect.stringContaining(problem) });
});

test.each([
  ['https://example.com', 'https://example.com/'],
  ['https://example.com:443/hook', 'https://example.com/hook'],
  ['https://example.com:8443/hook', 'https://example.com:8443/hook'],
  ['HTTPS://Hooks.Example.COM/Path?Query=1', 'https://hooks.example.com/Path?Query=1'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://93.184.216.34/hook', 'https://93.184.216.34/hook'],
  ['https://[2606:4700::1111]/hook', 'https://[2606:4700::1111]/hook'],
  ['https://nottributary.example/', 'https://nottributary.example/'],
  ['https://tributary.example.com/', 'https://tributary.example.com/'],
  ['https://mylocalhost.com/', 'https://mylocalhost.com/'],
  ['https://internal.example.com/', 'https://internal.example.com/'],
  ['https://example.latest/', 'https://example.latest/'],
  ['https://home.arpanet.example/', 'https://home.arpanet.example/'],
  [`https://example.com/${'a'.repeat(2_028)}`, `https://example.com/${'a'.repeat(2_028)}`],
])('%s is accepted', (text, url) => {
  expect(parse(text)).toEqual({ url });
});

describe('an allowed origin', () => {
  test('may have the scheme http, a private address and any port', () => {
    expect(parse(`${LOCAL}/hook?a=1`)).toEqual({ url: `${LOCAL}/hook?a=1` });
  });

  test.each([
    'http://127.0.0.1:4576/',
    'http://127.0.0.1:45750/',
    'http://127.0.0.1/',
    'https://127.0.0.1:4575/',
    'http://localhost:4575/',
    'http://127.0.0.1:4575.evil.example/',
    'http://127.0.0.1:4575@evil.example/',
    'http://user@127.0.0.1:4575/',
    'blob:http://127.0.0.1:4575/hook',
    'http://127.0.0.1:4575/#fragment',
  ])('does not allow %s', (text) => {
    expect(parse(text)).toEqual({ problem: expect.any(String) });
  });
});

describe('on a laptop, the reason for a refusal names the option that allows the address', () => {
  const OPTION = '`npm start -- --webhook-origin URL`';
  const problemOf = (text: string, allowedOrigins: string[]) => parseEndpointUrl(text, { ...options, allowedOrigins });

  test.each(['http://127.0.0.1:4000/', 'https://127.0.0.1:8443/', 'https://localhost/'])('for %s', (text) => {
    expect(problemOf(text, [LOCAL])).toEqual({ problem: expect.stringContaining(OPTION) });
    expect(problemOf(text, [])).toEqual({ problem: expect.not.stringContaining('npm') });
  });

  test('except for a URL with a fragment', () => {
    const problem = expect.not.stringContaining(OPTION);
    expect(problemOf(`${LOCAL}/#fragment`, [LOCAL])).toEqual({ problem });
  });
});

test('parseEndpointUrl does not change a URL that is already parsed', () => {
  const text = fc.oneof(fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }), fc.string());
  fc.assert(
    fc.property(text, (input) => {
      const first = parse(input);
      if ('url' in first) expect(parse(first.url)).toEqual(first);
    }),
  );
});

test('in all notations of IPv4 addresses, public addresses are accepted, and other addresses are refused', () => {
  const notations = (bytes: number[]): string[] => {
    const number = bytes.reduce((total, byte) => total * 256 + byte, 0);
    const hexadecimal = bytes.map((byte) => `0x${byte.toString(16)}`).join('.');
    const octal = bytes.map((byte) => `0${byte.toString(8)}`).join('.');
    return [bytes.join('.'), String(number), `0x${number.toString(16)}`, hexadecimal, octal];
  };
  const address = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(address, (bytes) => {
      const isPublic = isPublicAddress(bytes.join('.'));
      for (const host of notations(bytes)) expect('url' in parse(`https://${host}/`)).toBe(isPublic);
    }),
  );
});
