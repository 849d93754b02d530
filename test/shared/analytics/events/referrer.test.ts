import { expect, test } from 'vitest';
import { referrerHostname } from '../../../../shared/analytics/events/referrer.ts';
import { growthOf, LINEAR_GROWTH_MAX } from '../../../support/growth.ts';

const letters = (count: number) => Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');

const WORST: Record<string, (size: number) => string> = {
  'many dots': (size) => `${'a.'.repeat(size / 2)} `,
  'many dots before a long name': (size) => `${'a.'.repeat(size / 4)}${'a'.repeat(size / 2)}@`,
  'a long name of non-ASCII letters': (size) => `http://${letters(size)}`,
  'a long name of non-ASCII letters and a scheme with white space': (size) => `ht\ntp:\n//\t${letters(size)}`,
  'a user before a long name': (size) => `http://user:password@${letters(size)}`,
  'letters with many combining marks': (size) => `http://${`a${'\u0301\u0323'.repeat(14)}`.repeat(size / 29)}`,
};

/** Number of addresses so far. It makes each address unique, so that no host is read from the cache. */
let addresses = 0;
const hostsOf = (address: string) => {
  for (let call = 0; call < 20; call++) referrerHostname(`${address}#${addresses++}`);
};

test.each(Object.entries(WORST))('referrerHostname needs linear time for an address with %s', (_, make) => {
  expect(growthOf(make, hostsOf, 500)).toBeLessThan(LINEAR_GROWTH_MAX);
  expect(growthOf(make, hostsOf, 60)).toBeLessThan(LINEAR_GROWTH_MAX);
});

test.each([
  ['a label of 63 characters', `http://${'a'.repeat(63)}.example/`, `${'a'.repeat(63)}.example`],
  ['a label of 64 characters, which is too long', `http://${'a'.repeat(64)}.example/`, ''],
  ['a label of 63 characters without a scheme', `${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ['a user with a long name', `https://${'u'.repeat(300)}:p@news.example/a`, 'news.example'],
  ['a port', 'https://news.example:8443', 'news.example'],
  ['no slashes', 'https:news.example', 'news.example'],
  ['backslashes', 'https:\\\\news.example\\a', 'news.example'],
  ['an IPv6 address', 'http://[2001:db8::1]:80/', '[2001:db8::1]'],
  ['line breaks', 'ht\ntps://ne\tws.example/', 'news.example'],
  ['a query right behind the host', 'https://news.example?a', 'news.example'],
  ['a long path', `https://news.example/${'b'.repeat(2_000)}`, 'news.example'],
])(
  'for an address with %s, referrerHostname returns the hostname, or an empty text if the hostname is invalid',
  (_, address, host) => {
    expect(referrerHostname(address)).toBe(host);
  },
);
