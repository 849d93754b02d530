import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ANSWER_SCHEMA,
  judgementIn,
  QUOTE_CHARACTERS_MAX,
  QUOTES_MAX,
} from '../../../../../shared/training/analysis/model-judge-answer.ts';
import { anAnswer, JUDGED } from '../../../../support/training/judge.ts';

const IDS = ['need', 'meeting'];
const read = (answer: unknown) => judgementIn(typeof answer === 'string' ? answer : JSON.stringify(answer), IDS);
const WHOLE = anAnswer();
const text = JSON.stringify(WHOLE);

test.each([
  ['as it is', text],
  ['indented', JSON.stringify(WHOLE, null, 2)],
  ['in a fence', `\`\`\`json\n${text}\n\`\`\``],
  ['in a fence without a language', `\`\`\`\n${text}\n\`\`\``],
  ['between sentences', `Certainly! ${text}\nI hope that this helps :-}`.replace(':-}', ':-)')],
  ['in a fence between sentences with brackets', `The {object}:\n\`\`\`json\n${text}\n\`\`\`\nSo {it} is.`],
  ['in the last of several fences', `\`\`\`\n{"draft": 1}\n\`\`\` or rather \`\`\`json\n${text}\n\`\`\``],
  ['after thoughts', `<think>{"dos": []} … or {"summary": 1}?</think>\n${text}`],
  ['after a byte order mark', `\ufeff${text}`],
  ['with members that nobody asked for', JSON.stringify({ ...WHOLE, score: 100, total: 100 })],
])('is read %s', (_, answer) => {
  expect(read(answer)).toEqual(WHOLE);
});

describe('what the form does not allow is left out', () => {
  test('points that the case has not, and second answers to the same one', () => {
    const dos = [
      { id: 'need', covered: false, quotes: [] },
      { id: 'need', covered: true, quotes: [JUDGED.question] },
      { id: 'everything', covered: true, quotes: [JUDGED.question] },
      { id: '__proto__', covered: true, quotes: [] },
      { id: ' meeting ', covered: true, quotes: [] },
    ];
    expect(read({ ...WHOLE, dos })?.dos).toEqual([{ id: 'need', covered: false, quotes: [] }]);
  });

  test('points that are none', () => {
    const dos = [null, 'need', 7, { id: 'need' }, { covered: true, quotes: [] }, { id: 'need', covered: 'yes' }, []];
    expect(read({ ...WHOLE, dos })?.dos).toEqual([]);
  });

  test('quotes that are none, too long or too many; the point stays, for the rules to judge', () => {
    const long = 'x'.repeat(QUOTE_CHARACTERS_MAX + 1);
    const quotes = [null, 3, '', ' ', { text: 'a' }, long, ' a ', 'b', 'c', 'd', 'e'];
    const dos = [
      { id: 'need', covered: true, quotes },
      { id: 'meeting', covered: true, quotes: 'Dienstag' },
    ];
    expect(read({ ...WHOLE, dos })?.dos).toEqual([
      { id: 'need', covered: true, quotes: ['a', 'b', 'c'] },
      { id: 'meeting', covered: true, quotes: [] },
    ]);
  });

  test.each([
    ['is absent', undefined, undefined],
    ['is no text', { de: 'So' }, undefined],
    ['is empty', ' \n ', undefined],
    [
      'has lines, controls and marks of direction',
      'So\u0000 \n\n war\u202e es\u0007, \u{1f469}\u200d\u{1f33e}.',
      'So war es, \u{1f469}\u200d\u{1f33e}.',
    ],
    ['has letters of two halves at its end', '\u{1f3e0}'.repeat(2_000), '\u{1f3e0}'.repeat(1_000)],
  ])('a summary that %s', (_, summary, kept) => {
    expect(read({ ...WHOLE, summary })?.summary).toBe(kept);
  });
});

test('whatever comes, it gives nothing or what the form allows, within its bounds', () => {
  const quotes = fc.oneof(fc.array(fc.oneof(fc.string({ maxLength: 400 }), fc.integer())), fc.string());
  const someDo = fc.record({
    id: fc.constantFrom(...IDS, 'other'),
    covered: fc.oneof(fc.boolean(), fc.string()),
    quotes,
  });
  const like = fc.record({
    summary: fc.oneof(fc.string({ maxLength: 3_000, unit: 'binary' }), fc.integer()),
    dos: fc.array(fc.oneof(someDo, fc.jsonValue())),
    successCriteria: fc.record({ met: fc.boolean(), quotes }),
  });
  const answers = fc.oneof(
    { weight: 4, arbitrary: like.map((answer) => JSON.stringify(answer)) },
    fc.json(),
    fc.string({ maxLength: 500, unit: fc.constantFrom('{', '}', '[', '"', '`', ',', ':', 'dos', '\\', ' ') }),
    fc.tuple(like, fc.nat(200)).map(([answer, end]) => JSON.stringify(answer).slice(0, end)),
  );
  let readable = 0;
  fc.assert(
    fc.property(answers, (answer) => {
      const judgement = judgementIn(answer, IDS);
      if (judgement === undefined) return;
      readable++;
      expect(Object.keys(judgement).sort()).toEqual(['dos', 'successCriteria', 'summary']);
      const ids = judgement.dos.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(IDS).toEqual(expect.arrayContaining(ids));
      for (const { quotes: kept } of [...judgement.dos, judgement.successCriteria]) {
        expect(kept.length).toBeLessThanOrEqual(QUOTES_MAX);
        for (const quote of kept) expect(quote.length).toBeLessThanOrEqual(QUOTE_CHARACTERS_MAX);
      }
      expect(Array.from(judgement.summary ?? '').length).toBeLessThanOrEqual(1_000);
    }),
    { seed: 6, numRuns: 600 },
  );
  expect(readable).toBeGreaterThan(100);
});

test('its form is one that strict servers take: every object names all of its members, and no others', () => {
  const objects: Record<string, unknown>[] = [];
  JSON.stringify(ANSWER_SCHEMA.schema, (_, value) => {
    if (value?.type === 'object') objects.push(value);
    return value;
  });
  expect(objects).toHaveLength(3);
  for (const { properties, required, additionalProperties } of objects) {
    expect(required).toEqual(Object.keys(properties as object));
    expect(additionalProperties).toBe(false);
  }
});
