import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVIDENCE_MAX } from '../../../../shared/training/analysis/coverage.ts';
import { CONFIRMATION_SCHEMA, VERDICT_SCHEMA } from '../../../../shared/training/analysis/llm-prompts.ts';
import { parseConfirmation, parseVerdict } from '../../../../shared/training/analysis/llm-responses.ts';
import { aVerdict } from '../../../support/training/judge.ts';

const IDS = ['need', 'meeting'];
const read = (response: unknown) =>
  parseVerdict(typeof response === 'string' ? response : JSON.stringify(response), IDS);
const WHOLE = aVerdict();
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
  ['with unknown properties', JSON.stringify({ ...WHOLE, score: 100, total: 100 })],
])('a verdict can be read %s', (_, response) => {
  expect(read(response)).toEqual(WHOLE);
});

describe('reading a verdict', () => {
  test('drops unknown dos and repeated dos', () => {
    const dos = [
      { id: 'need', covered: false, sentences: [] },
      { id: 'need', covered: true, sentences: [3] },
      { id: 'everything', covered: true, sentences: [3] },
      { id: '__proto__', covered: true, sentences: [] },
      { id: ' meeting ', covered: true, sentences: [] },
    ];
    expect(read({ ...WHOLE, dos })?.dos).toEqual([{ id: 'need', covered: false, sentences: [] }]);
  });

  test('drops invalid entries of `dos`', () => {
    const dos = [null, 'need', 7, { id: 'need' }, { covered: true, sentences: [] }, { id: 'need', covered: 'yes' }, []];
    expect(read({ ...WHOLE, dos })?.dos).toEqual([]);
  });

  test('keeps at most three citations of a do, and drops citations that are not integers', () => {
    const dos = [
      { id: 'need', covered: true, sentences: [null, '3', 1.5, 1, 2, -3, 4] },
      { id: 'meeting', covered: true, sentences: 5 },
    ];
    expect(read({ ...WHOLE, dos })?.dos).toEqual([
      { id: 'need', covered: true, sentences: [1, 2, -3] },
      { id: 'meeting', covered: true, sentences: [] },
    ]);
  });

  test.each([
    ['is absent', undefined],
    ['is not a text', { de: 'So' }],
    ['is empty', ' \n '],
  ])('returns no summary when the summary in the response %s', (_, summary) => {
    expect(read({ ...WHOLE, summary })?.summary).toBeUndefined();
  });

  test('removes line breaks, control characters and bidirectional controls from the summary', () => {
    const summary = 'So\u0000 \n\n war\u202e es\u0007, \u{1f469}\u200d\u{1f33e}.';
    expect(read({ ...WHOLE, summary })?.summary).toBe('So war es, \u{1f469}\u200d\u{1f33e}.');
  });
});

test('for any response, parseVerdict returns undefined, or a verdict with known dos and limited citations', () => {
  const sentences = fc.oneof(fc.array(fc.oneof(fc.string({ maxLength: 40 }), fc.integer())), fc.string());
  const someDo = fc.record({
    id: fc.constantFrom(...IDS, 'other'),
    covered: fc.oneof(fc.boolean(), fc.string()),
    sentences,
  });
  const like = fc.record({
    summary: fc.oneof(fc.string({ maxLength: 3_000, unit: 'binary' }), fc.integer()),
    dos: fc.array(fc.oneof(someDo, fc.jsonValue())),
    successCriteria: fc.record({ met: fc.boolean(), sentences }),
  });
  const responses = fc.oneof(
    { weight: 4, arbitrary: like.map((response) => JSON.stringify(response)) },
    fc.json(),
    fc.string({ maxLength: 500, unit: fc.constantFrom('{', '}', '[', '"', '`', ',', ':', 'dos', '\\', ' ') }),
    fc.tuple(like, fc.nat(200)).map(([response, end]) => JSON.stringify(response).slice(0, end)),
  );
  let readable = 0;
  fc.assert(
    fc.property(responses, (response) => {
      const verdict = parseVerdict(response, IDS);
      if (verdict === undefined) return;
      readable++;
      expect(Object.keys(verdict).sort()).toEqual(['dos', 'successCriteria', 'summary']);
      const ids = verdict.dos.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(IDS).toEqual(expect.arrayContaining(ids));
      for (const { sentences: kept } of [...verdict.dos, verdict.successCriteria]) {
        expect(kept.length).toBeLessThanOrEqual(EVIDENCE_MAX);
        for (const number of kept) expect(Number.isSafeInteger(number)).toBe(true);
      }
    }),
    { seed: 6, numRuns: 600 },
  );
  expect(readable).toBeGreaterThan(100);
});

test.each([
  ['{"shown": true}', true],
  ['```json\n{"shown": true}\n```', true],
  ['{"shown": false}', false],
  ['{"shown": "true"}', false],
  ['Yes.', false],
  ['', false],
])('the confirmation %j is read as %j', (response, isShown) => expect(parseConfirmation(response)).toBe(isShown));

test('in the schemas, every object requires all its properties and allows no others, as strict servers demand', () => {
  const objects: Record<string, unknown>[] = [];
  JSON.stringify([VERDICT_SCHEMA.schema, CONFIRMATION_SCHEMA.schema], (_, value) => {
    if (value?.type === 'object') objects.push(value);
    return value;
  });
  expect(objects).toHaveLength(4);
  for (const { properties, required, additionalProperties } of objects) {
    expect(required).toEqual(Object.keys(properties as object));
    expect(additionalProperties).toBe(false);
  }
});
