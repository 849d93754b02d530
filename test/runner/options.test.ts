import { expect, test } from 'vitest';
import { parseTestOptions } from './options.ts';

test.each([
  [[], { run: 'everything' }],
  [['-h'], { run: 'help' }],
  [['shared/leads', '-t', 'handle'], { run: 'paths', paths: ['shared/leads'], name: 'handle', watch: false }],
  [['-w'], { run: 'paths', paths: [], watch: true }],
  [['--for', 'training/read-call'], { run: 'function', id: 'training/read-call' }],
])('the arguments %j are parsed', (args, options) => {
  expect(parseTestOptions(args)).toEqual(options);
});

test.each([
  [['--for', 'training/read'], 'There is no function training/read. There are:\n'],
  [['--for', 'funnel/submit', 'shared'], 'Use --for without PATH'],
  [['--wach'], 'Unknown option \'--wach\'. See "npm test -- --help".'],
])('the arguments %j are rejected with a message', (args, message) => {
  expect(() => parseTestOptions(args)).toThrow(message);
});
