import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FunnelDefinition } from '../../../../../infra/cli/funnels/definition/funnel-definition.ts';
import { parseFunnelDefinition } from '../../../../../infra/cli/funnels/definition/parse-definition.ts';
import { parseJsonDocument } from '../../../../../infra/cli/json-document/parse.ts';
import { tryParseJson } from '../../../../../infra/common/parse-json.ts';
import { aFunnelDefinition } from '../../../../support/cli/funnel-definition.ts';

/** Expects a valid definition, or issues that are sentences with a position in the text. */
function expectFileOrIssues(bytes: Uint8Array): void {
  const reading = parseFunnelDefinition(bytes);
  if ('file' in reading) return void expect(FunnelDefinition.safeParse(reading.file).success).toBe(true);
  expect(reading.issues.length).toBeGreaterThan(0);
  const lines = Buffer.from(bytes)
    .toString()
    .split(/\r\n|\r|\n/).length;
  for (const { line, column, message } of reading.issues) {
    expect(message).toMatch(/^\S.*[.?]$/s);
    expect(line).toBeGreaterThan(0);
    expect(line).toBeLessThanOrEqual(lines);
    expect(column).toBeGreaterThan(0);
  }
}

test('any bytes are parsed as a definition or reported as issues', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), expectFileOrIssues), { numRuns: 500 });
});

const TOKENS = [
  ...'{}[]:,"\\/*\n\r\t 1-e.',
  'null',
  'true',
  '"name"',
  '"fields"',
  '"__proto__"',
  '//',
  '/*',
  '*/',
  '\ufeff',
  '😀',
];

test('the parser and JSON.parse accept the same sequences of tokens', () => {
  const texts = fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      expectFileOrIssues(Buffer.from(text));
      const bare = text.replace(/^\ufeff/, '');
      const { json, issues } = parseJsonDocument(Buffer.from(text));
      expect(json !== undefined && issues.length === 0).toBe(tryParseJson(bare) !== undefined);
    }),
    { numRuns: 2_000 },
  );
});

test('any JSON value at any place of a file is accepted or reported as issues', () => {
  const file = aFunnelDefinition({
    uploadBlocks: [{ name: 'P' }],
    ai: { systemPrompt: 'x' },
    verification: { messages: { de: { subject: 'S', text: '{{code}}', sms: '{{code}}' } } },
  });
  const places: string[][] = [];
  const walk = (value: unknown, at: string[]) => {
    places.push(at);
    if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) walk(one, [...at, name]);
  };
  walk(file, []);
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 3 }), (place, value) => {
      const copy = { root: structuredClone<unknown>(file) };
      let at: object = copy;
      for (const [index, name] of ['root', ...place].entries()) {
        if (index === place.length) Reflect.set(at, name, value);
        else at = Reflect.get(at, name);
      }
      expectFileOrIssues(Buffer.from(JSON.stringify(copy.root)));
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['opening brackets', '['],
  ['starts of comments', '/*'],
  ['comments', '//\n'],
  ['quotes', '"'],
  ['escapes', '"\\'],
  ['commas', ','],
  ['minus signs', '-'],
])('issues are reported for a megabyte of %s', (_, token) => {
  expectFileOrIssues(Buffer.from(token.repeat(1_000_000 / token.length)));
});

test('issues are reported for a megabyte of unknown properties or invalid fields', () => {
  const names = Array.from({ length: 60_000 }, (_, at) => `"member${at}":1`).join(',');
  for (const text of [
    `{${names}}`,
    `{"verification":{"messages":{${names}}}}`,
    `{"fields":[${'{"type":1},'.repeat(80_000)}{}]}`,
  ]) {
    expectFileOrIssues(Buffer.from(text));
  }
});
