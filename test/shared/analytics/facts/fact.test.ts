import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareFirstEvents,
  type Fact,
  mergeFacts,
  mergeFactsBySession,
} from '../../../../shared/analytics/facts/fact.ts';
import { aFact, someEvent } from '../../../support/analytics/analytics.ts';

/** Facts of one session. Their properties have few possible values, so that facts often agree in some properties. */
const ofOneSession = someEvent.map((fact): Fact => ({ ...fact, sessionKey: 1n }));

test('merging facts is idempotent, commutative and associative', () => {
  fc.assert(
    fc.property(ofOneSession, ofOneSession, ofOneSession, (a, b, c) => {
      expect(mergeFacts(a, a)).toEqual(a);
      expect(mergeFacts(a, b)).toEqual(mergeFacts(b, a));
      expect(mergeFacts(mergeFacts(a, b), c)).toEqual(mergeFacts(a, mergeFacts(b, c)));
    }),
    { numRuns: 1_000 },
  );
});

test('a merged fact has the values of its first event, and shows whether any event started or completed the funnel', () => {
  fc.assert(
    fc.property(fc.array(ofOneSession, { minLength: 1, maxLength: 6 }), (facts) => {
      const merged = mergeFactsBySession(facts).get(1n);
      const first = facts.toSorted(compareFirstEvents)[0];
      expect(merged).toEqual({
        ...first,
        started: facts.some(({ started }) => started),
        completed: facts.some(({ completed }) => completed),
      });
    }),
  );
});

test('the result of merging facts depends neither on their order nor on repeated facts', () => {
  fc.assert(
    fc.property(
      fc
        .array(someEvent, { minLength: 1, maxLength: 8 })
        .chain((facts) =>
          fc.tuple(fc.constant(facts), fc.shuffledSubarray([...facts, ...facts], { minLength: facts.length * 2 })),
        ),
      ([facts, shuffled]) => {
        expect(mergeFactsBySession(shuffled)).toEqual(mergeFactsBySession(facts));
      },
    ),
  );
});

test('merging facts does not change the arguments', () => {
  const a = Object.freeze(aFact({ started: true }));
  const b = Object.freeze(aFact({ firstTimeMs: a.firstTimeMs - 1, completed: true }));
  expect(mergeFacts(a, b)).toEqual({ ...b, started: true, completed: true });
});

test.each([
  ['an earlier time is first', { firstTimeMs: 1, clientTimeMs: 9 }, { firstTimeMs: 2, clientTimeMs: 1 }],
  ['an earlier client time is first', { clientTimeMs: 1, stepIndex: 5 }, { clientTimeMs: 2, stepIndex: 0 }],
  ['a lower step is first', { stepIndex: -1 }, { stepIndex: 0 }],
  ['an absent step is last', { stepIndex: 7 }, { stepIndex: null }],
  ['referrers are compared before UTM sources', { referrer: 'a', utmSource: 'z' }, { referrer: 'b', utmSource: 'a' }],
  ['an empty text is last', { utmTerm: 'z' }, { utmTerm: '' }],
  ['a text is before its continuation', { utmTerm: 'a' }, { utmTerm: 'ab' }],
] as const)('when the first events of two facts of a session are compared, %s', (_, before, after) => {
  const [a, b] = [aFact({ clientTimeMs: 0, ...before }), aFact({ clientTimeMs: 0, ...after })];
  expect(compareFirstEvents(a, b)).toBeLessThan(0);
  expect(compareFirstEvents(b, a)).toBeGreaterThan(0);
});

/** Characters around the surrogates, where the order of UTF-16 units differs from the order of code points. */
const trap = fc.constantFrom(
  'a',
  '\u{d7ff}',
  '\u{e000}',
  '\u{ffff}',
  '\u{ff01}',
  '\u{10000}',
  '\u{1f600}',
  '\u{10ffff}',
);
const text = fc.oneof(
  fc.string({ unit: trap, minLength: 1, maxLength: 4 }),
  fc.string({ unit: 'binary', minLength: 1 }),
);

test('texts are ordered by their UTF-8 bytes', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const order = compareFirstEvents(aFact({ utmSource: a }), aFact({ utmSource: b }));
      expect(Math.sign(order)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 2_000 },
  );
});
