import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { testsOf, testsOfFunction } from './select-tests.ts';

describe('testsOf', () => {
  test.each([
    ['test/shared/leads', 'test/shared/leads/'],
    ['test/shared/leads/lead-handle.test.ts', 'test/shared/leads/lead-handle.test.ts'],
    ['shared/leads/lead-handle.ts', 'test/shared/leads/lead-handle.test.ts'],
    ['shared/leads', 'test/shared/leads/'],
    ['functions/training/read-call/handler.ts', 'test/functions/training/read-call/'],
  ])('selects for the path %s the tests %s', (path, tests) => {
    expect(testsOf(path)).toBe(tests);
  });

  test('if no test file mirrors a source file, selects the closest folder with tests', () => {
    expect(existsSync('test/shared/leads/ports.test.ts')).toBe(false);
    expect(testsOf('shared/leads/ports.ts')).toBe('test/shared/leads/');
  });

  test('throws for a path that does not exist, is outside of the repository, or is in no folder with tests', () => {
    expect(() => testsOf('biome.json')).toThrow('No test mirrors biome.json');
    expect(() => testsOf('..')).toThrow('There is no file or folder ..');
    const missing = 'shared/leads/no-test-mirrors-this.ts';
    expect(() => testsOf(missing)).toThrow(`There is no file or folder ${missing}.`);
  });
});

test.each([...operations, ...backgroundFunctions])('the selected test files and folders of $id exist', ({ id }) => {
  const { whole, named } = testsOfFunction(id);
  expect([...whole, ...named].filter((path) => !existsSync(path))).toEqual([]);
});

test('the tests of a function include its test folder and the tests of its use case', () => {
  expect(testsOfFunction('background/enforce-retention').whole).toEqual(
    expect.arrayContaining([
      'test/functions/background/enforce-retention/',
      'test/shared/privacy/enforce-retention.test.ts',
    ]),
  );
});

test('the tests of a function include the files whose tests run once per function', () => {
  const { named } = testsOfFunction('training/read-call');
  expect(named).toContain('test/infra/cli/cost/model-gaps.test.ts');
  expect(named).not.toContain('test/contract/order-of-checks.test.ts');
});

test('of the template checks, the tests of a function include only those of one deployment of prod', () => {
  const { named, pattern } = testsOfFunction('training/read-call');
  expect(named).toContain('test/infra/stacks/templates/checks.test.ts');
  const selected = ['read-call', 'read-call-x', 'delete-call'].map((name) =>
    new RegExp(pattern).test(`training/${name}`),
  );
  expect(selected).toEqual([true, false, false]);
  const deployments = [
    'prod, with Bedrock and the user pool',
    'prod, with Bedrock and the user pool, changed',
    'dev, with defaults',
  ];
  expect(deployments.map((title) => new RegExp(pattern).test(`${title}: a test`))).toEqual([true, false, false]);
});
