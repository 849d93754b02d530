import { expect, test } from 'vitest';
import { parseFunnelDefinition } from '../../../../infra/cli/funnels/definition/parse-definition.ts';
import { aFunnelDefinition, issuesInText } from '../../../support/cli/funnel-definition.ts';

const RIGHT = JSON.stringify(aFunnelDefinition());

test.each<[string, string, string | RegExp]>([
  ['an empty text', '', '1:1 : The file is empty.'],
  ['white space only', ' \n\t', '1:1 : The file is empty.'],
  ['text that is not JSON', 'hello', /^1:1 : This is not a JSON value/],
  ['a superfluous comma', '{\n  "name": "x",\n}', /^3:1 : .*the preceding comma is not needed\.$/],
  ['a missing comma', '{\n  "name": "x"\n  "fields": []\n}', '3:3 : A comma is missing here.'],
  ['single quotes', "{\n  'name': 1 }", /^2:3 : This is not a JSON value: write a string in double quotes/],
  ['an unterminated string', '{"name": "x\n', /^1:10 : This string has no closing quote on its line\.$/],
  ['a missing brace', '{"name": "x"', '1:13 : A } is missing here.'],
  ['two values', `${RIGHT}\n{}`, '2:1 : The file must end here: it can contain only one JSON value.'],
  ['a tab in a string', '{"name": "a\tb"}', /^1:10 : This character is not allowed in a string/],
  ['an invalid escape', '{"name": "\\x"}', /^1:10 : \\ must be followed by one of/],
  ['nesting that is too deep', `{"name": ${'['.repeat(40)}`, '1:41 : The nesting is deeper than 32 levels here.'],
])('an issue, with its line and column, is reported for %s', (_, text, issue) => {
  const [first = ''] = issuesInText(text);
  if (typeof issue === 'string') expect(first).toBe(issue);
  else expect(first).toMatch(issue);
});

test('each comment in the JSON is reported as an issue, together with the other issues', () => {
  const text = '// first\n{ "name": "x", /* here */\n  "feilds": [] }';
  expect(issuesInText(text)).toEqual([
    expect.stringMatching(/^1:1 : JSON has no comments/),
    '2:1 fields: This property is required.',
    expect.stringMatching(/^2:16 : JSON has no comments/),
    '3:3 feilds: "feilds" is not a known property here; did you mean "fields"?',
  ]);
});

test('a repeated property is rejected, because only its last value would be used', () => {
  expect(issuesInText('{"name": "a",\n "name": "b",\n "fields": []}')).toEqual([
    '2:2 name: "name" occurs more than once.',
  ]);
});

test('a byte order mark is ignored and not counted as a column', () => {
  expect(parseFunnelDefinition(Buffer.from(`\ufeff${RIGHT}`))).toEqual({ file: aFunnelDefinition() });
  expect(issuesInText('\ufeff{"zebra": 1, "name": "x", "fields": []}')).toEqual([
    '1:2 zebra: "zebra" is not a known property here.',
  ]);
});

test.each([
  ['UTF-16', Buffer.from(`\ufeff${RIGHT}`, 'utf16le')],
  ['Latin-1', Buffer.from(RIGHT.replace('Cakes', 'Käse'), 'latin1')],
])('a file in %s is rejected with a message that asks for UTF-8', (_, bytes) => {
  expect(issuesInText(bytes)).toEqual(['1:1 : The file is not UTF-8: save it in this encoding.']);
});

test('a file of more than 1,000,000 bytes is rejected, and a file padded with spaces to 1,000,000 bytes is accepted', () => {
  expect(issuesInText(`${RIGHT}${' '.repeat(1_000_000)}`)).toEqual(['1:1 : The file is larger than 1,000,000 bytes.']);
  expect(issuesInText(RIGHT.padEnd(1_000_000))).toEqual([]);
});

test.each([
  ['LF', '\n'],
  ['CR LF', '\r\n'],
  ['CR', '\r'],
])('the correct line is reported for a file whose lines end with %s', (_, end) => {
  const text = ['{', '  "name": "x",', '  "fields": [],', '\t"nope": 1', '}'].join(end);
  expect(issuesInText(text)).toEqual(['4:2 nope: "nope" is not a known property here.']);
});

test('columns are counted in code points; a tab is one column, and U+2028 does not end a line', () => {
  expect(issuesInText('{"fields": [], "name": "äß😀\u2028\u0301", \t"x": 1}')).toEqual([
    '1:34 x: "x" is not a known property here.',
  ]);
});

test('the first fifty issues are returned, sorted by line, with the number of further issues', () => {
  const many = `{"name": "x", "fields": [\n${Array.from({ length: 70 }, () => '3').join(',\n')}]}`;
  const reading = parseFunnelDefinition(Buffer.from(many));
  if ('file' in reading) throw new Error('The file was accepted.');
  expect(reading.issues.map(({ line }) => line)).toEqual(Array.from({ length: 50 }, (_, at) => at + 2));
  expect(reading.more).toBe(20);
});
