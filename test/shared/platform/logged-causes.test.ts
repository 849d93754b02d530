import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createJsonLogger } from '../../../shared/platform/logger.ts';

const ADDRESS = 'ada@lovelace.example';

/** Logs an error with the error of `work` as its cause, and returns the log line. */
function lineOf(work: () => unknown): string {
  const lines: string[] = [];
  try {
    work();
  } catch (cause) {
    createJsonLogger({}, (line) => lines.push(line)).error('failed', new Error('A step failed.', { cause }));
  }
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

const Stored = z.object({
  name: z.string().check(z.maxLength(3), z.email()),
  kind: z.enum(['a', 'b']),
  list: z.array(z.union([z.number(), z.uuid()])),
  one: z.discriminatedUnion('type', [z.object({ type: z.literal('x') })]),
  known: z.strictObject({}),
  at: z.number(),
});
const malformed = {
  name: ADDRESS,
  kind: ADDRESS,
  list: [ADDRESS],
  one: { type: ADDRESS },
  known: { [ADDRESS]: 1, 'Countess "Ada"] of Lovelace': 2 },
  at: ADDRESS,
};

const malformedJson = [ADDRESS, `"${ADDRESS}`, `{"mail": "${ADDRESS}" "`, `["${ADDRESS}"] and\nmore of ${ADDRESS}`];
const leaks: [string, () => unknown][] = [
  ['stored data that does not match its schema', () => Stored.parse(malformed)],
  ...malformedJson.map((text): [string, () => unknown] => [`the malformed JSON ${text}`, () => JSON.parse(text)]),
  ['an invalid header value', () => new Headers({ authorization: `Bearer ${ADDRESS}\nx` })],
  ['an argument of a wrong type', () => Reflect.apply(Buffer.byteLength, Buffer, [[ADDRESS]])],
  ['an argument out of its range', () => Buffer.alloc(4).writeInt8(4_711_0815)],
  ['a text that is not an integer', () => BigInt(ADDRESS)],
];

test.each(leaks)('an error whose cause is %s is logged without the rejected value', (_, work) => {
  const line = lineOf(work);
  expect(line).not.toMatch(/ada@|lovelace|Countess|47.?110.?815/i);
  expect(line).toContain('"cause":{"name":"');
  expect(line).toMatch(/\\n {4}at /);
});

test('if stored data does not match its schema, the paths and issues are logged', () => {
  const line = lineOf(() => Stored.parse(malformed));
  for (const expected of ['kind: Invalid option: expected one of', 'list.0: ', 'known: has unknown properties'])
    expect(line).toContain(expected);
  expect(line).toContain('at: Invalid input: expected number, received string');
});

test('our own error messages, and those of a TypeError without values, are logged unchanged', () => {
  expect(lineOf(() => Reflect.get(Object(undefined), 'x').y)).toContain('of undefined (reading');
  expect(
    lineOf(() => {
      throw new Error('The fact file "a" is damaged. Received 3 bytes.');
    }),
  ).toContain('The fact file \\"a\\" is damaged. Received 3 bytes.');
});
