import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import { decodeFacts, encodeFacts } from '../../../../shared/analytics/facts/fact-codec.ts';
import { aFact, MAY_31 } from '../../../support/analytics/analytics.ts';

const wholeNumber = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.integer({ min: -(2 ** 49), max: 2 ** 49 }),
  fc.constantFrom(-(2 ** 49), 2 ** 49, 127, 128, 2 ** 31, 2 ** 32),
);
const text = fc.oneof(fc.constantFrom('', 'direct', 'news'), fc.string({ unit: 'binary', maxLength: 300 }));

const anyFact: fc.Arbitrary<Fact> = fc.record({
  sessionKey: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  firstTimeMs: wholeNumber,
  clientTimeMs: wholeNumber,
  stepIndex: fc.option(wholeNumber),
  referrer: text,
  utmSource: text,
  utmMedium: text,
  utmCampaign: text,
  utmTerm: text,
  utmContent: text,
  deviceType: text,
  browser: text,
  os: text,
  started: fc.boolean(),
  completed: fc.boolean(),
});
const someFacts = fc.uniqueArray(anyFact, { selector: ({ sessionKey }) => sessionKey, maxLength: 40 });

const byKey = (facts: readonly Fact[]) => facts.toSorted((a, b) => (a.sessionKey < b.sessionKey ? -1 : 1));

test('decoding encoded facts returns the same facts', () => {
  fc.assert(
    fc.property(someFacts, (facts) => {
      expect(byKey(decodeFacts(encodeFacts(facts)))).toEqual(byKey(facts));
    }),
  );
});

test('facts are encoded to the same bytes in any order', () => {
  fc.assert(
    fc.property(
      someFacts.chain((facts) => fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length }))),
      ([facts, shuffled]) => {
        expect(encodeFacts(shuffled)).toEqual(encodeFacts(facts));
      },
    ),
  );
});

test('a thousand encoded facts of typical sessions have less than 20 bytes each on average', () => {
  const facts = Array.from({ length: 1_000 }, (_, at) => {
    const timeMs = MAY_31 + ((at * 7919) % 60_000);
    const sessionKey = randomBytes(8).readBigInt64BE();
    return aFact({
      sessionKey,
      firstTimeMs: timeMs,
      utmSource: ['', 'news', 'search'][at % 3] ?? '',
      started: at % 2 === 0,
    });
  });
  expect(encodeFacts(facts).length).toBeLessThan(20_000);
});

test('decoding random or damaged bytes returns facts, or throws an error that begins with “These facts”', () => {
  const encoded = encodeFacts([aFact(), aFact({ sessionKey: 2n, utmSource: 'news' })]);
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([Buffer.of(1), bytes])),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([Buffer.of(1), deflateSync(bytes)])),
    fc.nat(encoded.length - 1).map((length) => encoded.subarray(0, length)),
  );
  fc.assert(
    fc.property(garbage, (bytes) => {
      try {
        // Some of these bytes are a valid encoding, for example of no facts, and decode without an error.
        expect(decodeFacts(bytes)).toEqual(expect.any(Array));
      } catch (error) {
        expect(String(error)).toMatch(/^Error: These facts /);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('decoding truncated bytes throws, and bytes with one changed bit never decode to other facts', () => {
  const encoded = encodeFacts([aFact(), aFact({ sessionKey: 2n, utmSource: 'news', started: true })]);
  for (let length = 0; length < encoded.length; length++)
    expect(() => decodeFacts(encoded.subarray(0, length))).toThrow('These facts');
  for (let at = 0; at < encoded.length; at++) {
    const changed = Uint8Array.from(encoded);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    let read: unknown;
    try {
      read = decodeFacts(changed);
    } catch {
      continue;
    }
    expect(read).toEqual(decodeFacts(encoded));
  }
});

test('decoding rejects bytes that would inflate to more than 64 MB', () => {
  const bomb = Buffer.concat([Buffer.of(1), deflateSync(Buffer.alloc(80 * 1024 * 1024))]);
  expect(() => decodeFacts(bomb)).toThrow('damaged');
});

test('decoding rejects bytes that declare more facts than they can hold', () => {
  const oversized = Buffer.concat([Buffer.of(1), deflateSync(Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0x7f))]);
  expect(() => decodeFacts(oversized)).toThrow('damaged');
});

test('the error for an unknown format version of facts names the version', () => {
  expect(() => decodeFacts(Buffer.of(9, 1, 2))).toThrow('unknown format version 9');
  expect(() => decodeFacts(Buffer.of())).toThrow('unknown format version none');
});

test('encoding a number that is not a safe integer throws', () => {
  expect(() => encodeFacts([aFact({ firstTimeMs: 0.5 })])).toThrow(RangeError);
  expect(() => encodeFacts([aFact({ firstTimeMs: 2 ** 53 })])).toThrow(RangeError);
});
