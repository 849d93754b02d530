import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHostname } from '../../../../infra/cli/domains/hostname.ts';

test.each([
  ['shop.example.com', 'shop.example.com'],
  ['  Shop.EXAMPLE.com. ', 'shop.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BU\u0308CHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['例え。example', 'xn--r8jz45g.example'],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ['1.2.3.4.example', '1.2.3.4.example'],
])('the hostname %j is normalized to %s', (given, kept) => {
  expect(parseHostname(given)).toBe(kept);
});

test.each([
  ['', /is not valid/],
  ['example', /only one part/],
  ['.', /is not valid/],
  ['..', /is not valid/],
  ['shop..example.com', /is not valid/],
  ['.shop.example.com', /is not valid/],
  ['shop.example.com..', /is not valid/],
  ['*.example.com', /wildcard/],
  ['https://shop.example.com', /without scheme/],
  ['shop.example.com:443', /without scheme/],
  ['shop.example.com/page', /without scheme/],
  ['me@shop.example.com', /without scheme/],
  ['shop%2eexample.com', /without scheme/],
  ['shop example.com', /without scheme/],
  ['shop\u00ad.example.com', /without scheme/],
  ['shop\u0000.example.com', /without scheme/],
  ['_tributary.example.com', /without scheme/],
  ['-shop.example.com', /is not valid/],
  ['shop-.example.com', /is not valid/],
  [`${'a'.repeat(64)}.example`, /is not valid/],
  [`${'a.'.repeat(118)}example`, /more than 242/],
  ['192.0.2.1', /IP address/],
  ['192.0.2.1.', /IP address/],
  ['0x7f.1', /IP address/],
  ['２０３.0.113.9', /IP address/],
  ['example.123', /is not valid/],
  ['[2001:db8::1]', /without scheme/],
  ['localhost', /only one part/],
  ['shop.localhost', /reserved/],
  ['printer.local', /reserved/],
  ['d1.cloudfront.net', /reserved/],
  ['x.execute-api.eu-central-1.amazonaws.com', /reserved/],
  ['api.tributary.example', /reserved/],
  ['1.0.0.127.in-addr.arpa', /reserved/],
])('the hostname %j is rejected', (given, why) => {
  expect(() => parseHostname(given)).toThrow(why);
});

test('any input is rejected with a message, or becomes a valid hostname; normalizing this hostname again has no effect', () =>
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), (given) => {
      let kept: string;
      try {
        kept = parseHostname(given);
      } catch (error) {
        expect((error as Error).message).toMatch(/^The hostname .+\.$/);
        return;
      }
      expect(kept).toMatch(/^(?=.{4,242}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]+$/);
      expect(parseHostname(kept)).toBe(kept);
      expect(new URL(`https://${kept}/`).hostname).toBe(kept);
    }),
    { numRuns: 2_000 },
  ));
