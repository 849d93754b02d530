import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeBlocksOf, DOCUMENTS, readDocument, SOURCES } from '../support/documents.ts';

const ROOT = join(import.meta.dirname, '../..');
const { scripts, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Documents whose blocks no test runs, with the reasons. `test/infra/operations.test.ts` checks these documents. */
const NOT_RUN: Record<string, string> = {
  'docs/operations.md': 'The procedures need an AWS account.',
  'docs/runbook.md': 'The commands need an AWS account.',
};

/** The tests that run named blocks. Each of them checks that it runs all named blocks of its documents. */
const RUN_BY = [
  'test/end-to-end/readme.test.ts',
  'test/end-to-end/sql-query.test.ts',
  'test/docs/contributing.test.ts',
].map(readDocument);

const shellBlocks = DOCUMENTS.filter((path) => !(path in NOT_RUN))
  .flatMap(codeBlocksOf)
  .filter(({ language }) => /^(?:sh|bash|shell|console)?$/.test(language));
const places = shellBlocks.map((block) => ({ ...block, place: `${block.document}, line ${block.line}` }));

describe.each(places)('the shell block of $place', ({ document, attributes }) => {
  test('has the name of a test that runs it, or a reason why no test runs it', () => {
    const { test: name, 'not-run': reason } = attributes;
    const advice =
      'Write ```sh test=NAME and add a check for NAME to test/end-to-end/readme.test.ts, or write ```sh not-run="REASON".';
    expect(
      [name, reason].filter((value) => value !== undefined && value !== ''),
      advice,
    ).toHaveLength(1);
    if (name !== undefined)
      expect(
        RUN_BY.some((source) => source.includes(`'${document}'`)),
        `No test in RUN_BY names ${document}. Add a test that runs its blocks, and add the path of the test to RUN_BY.`,
      ).toBe(true);
  });
});

test('names of shell blocks are unique', () => {
  const names = shellBlocks.flatMap(({ attributes }) => attributes.test ?? []);
  expect(names.length).toBeGreaterThan(5);
  expect(names).toEqual([...new Set(names)]);
});

test('every document in NOT_RUN exists', () => {
  expect(Object.keys(NOT_RUN).filter((path) => !DOCUMENTS.includes(path))).toEqual([]);
});

test.each(DOCUMENTS)('%s: every named npm script exists, and every program after npx is installed', (document) => {
  const text = readDocument(document);
  const named = [...text.matchAll(/npm run (?:-s |--silent )?([a-z][\w:-]*)/g)].map(([, script = '']) => script);
  expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
  const binaries = [...text.matchAll(/\bnpx ([a-z][\w-]*)/g)].map(([, binary = '']) => binary);
  expect(binaries.filter((binary) => !existsSync(join(ROOT, 'node_modules/.bin', binary)))).toEqual([]);
});

// The `node` of a user can be Node 20, which cannot run TypeScript. npm scripts use the package `node`.
const RUNS_TYPESCRIPT = /\bnode(?: +-[\w=-]+)* +['"]?[\w/.$-]*\.ts\b/g;

test('documents, comments and messages name npm scripts instead of `node FILE.ts`', () => {
  const named = [...DOCUMENTS, ...SOURCES.filter((path) => !path.endsWith('.test.ts'))].flatMap((path) =>
    [...readDocument(path).matchAll(RUNS_TYPESCRIPT)].map(([command]) => `${path}: ${command}`),
  );
  expect(named).toEqual([]);
});

test.each(['node infra/app.ts', 'node --inspect test/x.ts', "node 'a.ts'", 'node ./x/y.ts'])(
  'the pattern for `node FILE.ts` matches %s',
  (command) => expect(command).toMatch(RUNS_TYPESCRIPT),
);

test.each(['node -p "1"', 'Node 20 or newer', 'npm run admin -- x.ts', 'node script.js'])(
  'the pattern for `node FILE.ts` does not match %s',
  (text) => expect(text).not.toMatch(RUNS_TYPESCRIPT),
);

test('.nvmrc names the major version of the package node', () => {
  const [major = ''] = devDependencies.node.split('.');
  expect(readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim()).toBe(major);
});

test('CI on GitHub runs the commands of .ci/run', () => {
  const commands = (path: string, line: RegExp) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(line)].map(([, command]) => command);
  const expected = commands('.ci/run', /^(npm .*)$/gm);
  expect(expected).toHaveLength(2);
  expect(commands('.github/workflows/ci.yml', /^ +- run: (.*)$/gm)).toEqual(expected);
});
