import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { bin, run } from './run-command.ts';

export type TestRun = {
  passed: number;
  /** One line for each failed test (file and name), and for each other error of the run. Empty if everything passed. */
  failures: string[];
};

type Results = {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
};

/** Runs Vitest once, prints its output, and returns the results. @param args arguments of `vitest run` */
export async function runTestFiles(...args: string[]): Promise<TestRun> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-'));
  try {
    const file = join(folder, 'results.json');
    const output = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const { code } = await run(bin('vitest'), ['run', ...output, ...args], 'print');
    return testRun(code, await readFile(file, 'utf8').catch(() => undefined));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param results what the JSON reporter of Vitest wrote; undefined if it wrote nothing */
export function testRun(code: number, results: string | undefined): TestRun {
  if (results === undefined) return { passed: 0, failures: ['Vitest has written no results. See its output above.'] };
  const { numPassedTests, testResults }: Results = JSON.parse(results);
  const failures = testResults.flatMap(failuresOf);
  // An error outside of the tests, for example an unhandled rejection, changes only the exit code.
  if (failures.length === 0 && code !== 0)
    failures.push(`No test failed, but Vitest ended with exit code ${code}. See its output above.`);
  return { passed: numPassedTests, failures };
}

function failuresOf({ name, status, assertionResults }: Results['testResults'][number]): string[] {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0 && status === 'failed')
    return [`${file}: loading the file or a hook failed. See the output above.`];
  return failed.map(({ fullName }) => `${file}: ${fullName}`);
}
