import { join } from 'node:path';
import { readReport } from '../../infra/bundles/bundle-report.ts';
import { measureBundle, sizeTable, sizeViolations } from '../../infra/bundles/bundle-sizes.ts';
import { UserError } from '../../infra/common/user-error.ts';
import { HELP, parseTestOptions, type TestOptions } from './options.ts';
import { bin, run } from './run-command.ts';
import { runEverything } from './run-everything.ts';
import { runTestFiles } from './run-test-files.ts';
import { testsOf, testsOfFunction } from './select-tests.ts';

// `npm test`. Without arguments, its last line counts checks and tests: `N passed, N failed`.

const passes = async (command: string, ...args: string[]): Promise<boolean> =>
  (await run(command, args, 'print')).code === 0;

try {
  process.exitCode = await runTests(parseTestOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

/** @returns the exit code */
async function runTests(options: TestOptions): Promise<number> {
  if (options.run === 'help') {
    console.log(HELP);
    return 0;
  }
  if (options.run === 'everything') {
    const { passed, failed } = await runEverything();
    console.log(`\n${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  }
  const selection = options.run === 'paths' ? options.paths.map((path) => testsOf(path)) : [];
  // Builds dist, because tests of bundles and of `npm start` load it. This takes a second if dist is up to date.
  if (!(await passes('node', 'infra/bundles/bundle.ts', '--quiet'))) return 1;
  if (options.run === 'function') return runTestsOfFunction(options.id);
  const { name, watch } = options;
  const named = name === undefined ? [] : ['--testNamePattern', name];
  // Shows the output of every chosen test. A run of everything shows only the output of failed tests.
  return (await passes(bin('vitest'), watch ? 'watch' : 'run', '--silent=false', ...named, ...selection)) ? 0 : 1;
}

async function runTestsOfFunction(id: string): Promise<number> {
  const { whole, named, pattern } = testsOfFunction(id);
  console.log(`Tests of ${whole.join(', ')}`);
  const results = [await runTestFiles(...whole)];
  console.log(`Tests whose names match ${pattern}, in ${named.length} other files`);
  results.push(await runTestFiles('--testNamePattern', pattern, ...named));
  const bundle = measureBundle(id, readReport(join('dist', id)));
  console.log(sizeTable([bundle]));
  const failures = [...results.flatMap((result) => result.failures), ...sizeViolations(bundle)];
  for (const failure of failures) console.error(`✗ ${failure}`);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  console.log(`\n${id}: ${passed} passed, ${failures.length} failed`);
  return failures.length === 0 ? 0 : 1;
}
