import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventStreamParser } from '../../../web/page-client/event-stream.ts';

function parse(pieces: readonly string[]): string[] {
  const all: string[] = [];
  const feed = createEventStreamParser((data) => all.push(data));
  for (const piece of pieces) feed(piece);
  return all;
}

function parseWithPackage(pieces: readonly string[]): string[] {
  const all: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => all.push(data) });
  for (const piece of pieces) parser.feed(piece);
  return all;
}

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const line = fc.oneof(
  fc.constant(''),
  fc.constantFrom(
    'data:',
    'data: ',
    'data:  two spaces',
    ': comment',
    'event: name',
    'id: 1',
    'retry: 5',
    'datax: 1',
    ':',
  ),
  fc.string({ unit: fc.constantFrom('a', ' ', ':', 'ä', '🌞', '{', '"') }).map((text) => `data: ${text}`),
);
/** All lines of a stream have the same line end, as servers send them. */
const stream = fc
  .tuple(fc.array(line, { maxLength: 30 }), lineEnd)
  .map(([lines, end]) => lines.map((text) => text + end).join(''));

test('the parser gives the same data as the package eventsource-parser, wherever the stream is split into chunks', () => {
  const property = fc.property(stream, fc.array(fc.nat(400), { maxLength: 20 }), (text, unsorted) => {
    const cuts = unsorted.map((cut) => cut % (text.length + 1)).sort((one, other) => one - other);
    const pieces = [0, ...cuts].map((start, index) => text.slice(start, cuts[index] ?? text.length));
    // A carriage return at the end may be the first half of a line end. Therefore, a parser returns the last event only
    // when more text follows, such as `end`.
    expect(parse([...pieces, 'end'])).toEqual(parseWithPackage([...pieces, 'end']));
  });
  fc.assert(property, { numRuns: 1_000 });
});

test('the parser ignores an incomplete event, and reads CR and LF in two chunks as one line end', () => {
  expect(parse(['data: one\n\ndata: two', '\n'])).toEqual(['one']);
  expect(parse(['data: one\r', '\n\r', '\n'])).toEqual(['one']);
});
