import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testRun } from './run-test-files.ts';

const file = (name: string, ...tests: { status: string; fullName: string }[]) => ({
  name: join(process.cwd(), name),
  status: tests.length === 0 || tests.some(({ status }) => status === 'failed') ? 'failed' : 'passed',
  assertionResults: tests,
});
const results = (numPassedTests: number, ...testResults: object[]) => JSON.stringify({ numPassedTests, testResults });
const passed = { status: 'passed', fullName: 'a lead is saved' };
const failed = { status: 'failed', fullName: 'a lead is updated' };

test('a run in which everything passed has no failures', () => {
  expect(testRun(0, results(1, file('a.test.ts', passed)))).toEqual({ passed: 1, failures: [] });
});

test('the failures contain each failed test, and each failed file in which no test failed', () => {
  expect(testRun(1, results(1, file('a.test.ts', passed, failed), file('b.test.ts')))).toEqual({
    passed: 1,
    failures: ['a.test.ts: a lead is updated', 'b.test.ts: loading the file or a hook failed. See the output above.'],
  });
});

test('the failures contain an error outside of the tests; they also say if Vitest wrote no results', () => {
  expect(testRun(1, results(1, file('a.test.ts', passed)))).toEqual({
    passed: 1,
    failures: ['No test failed, but Vitest ended with exit code 1. See its output above.'],
  });
  expect(testRun(1, undefined)).toEqual({
    passed: 0,
    failures: ['Vitest has written no results. See its output above.'],
  });
});
