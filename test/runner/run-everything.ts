import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findUnusedGrants, GRANTS_FOLDER, readDenials } from '../../infra/policies/grant-usage.ts';
import { ensurePolicyFile, readPolicies } from '../../infra/policies/policy-file.ts';
import { UNTESTED_GRANTS } from '../../infra/policies/untested-grants.ts';
import { bin, run } from './run-command.ts';
import { runTestFiles } from './run-test-files.ts';

export type Outcome = { passed: number; failed: number };

/** Runs a tool that passes or fails as a whole, and prints its output if it fails. */
async function check(name: string, command: string, ...args: string[]): Promise<Outcome> {
  const { code, output } = await run(command, args, 'capture');
  console.log(`${code === 0 ? '✓' : '✗'} ${name}`);
  if (code !== 0) console.log(output);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

/** Runs all tests, then checks that they used every grant and that no request was denied. */
async function runTests(): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-'));
  process.env[GRANTS_FOLDER] = folder;
  // Tests start hundreds of processes, which load the same modules and share the compiled code.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  const { passed, failures } = await runTestFiles('--reporter=./test/runner/progress-reporter.ts');
  const grants = await checkGrants(folder);
  await rm(folder, { recursive: true, force: true });
  return { passed: passed + grants.passed, failed: failures.length + grants.failed };
}

/** Fails if the run recorded a denial, or did not use a grant. Ignores the grants in `UNTESTED_GRANTS`. */
async function checkGrants(folder: string): Promise<Outcome> {
  const policies = readPolicies(await ensurePolicyFile());
  const unused = findUnusedGrants(policies, folder, UNTESTED_GRANTS).map(
    ({ id, action, resources }) =>
      `${id} has the grant ${action} on ${resources.join(', ')}, which no test uses. Remove the grant, or test it.`,
  );
  const violations = [...readDenials(folder), ...unused];
  console.log(`${violations.length === 0 ? '✓' : '✗'} grants: every grant is used, and no request to AWS is denied`);
  for (const violation of violations) console.log(`  ${violation}`);
  return { passed: violations.length === 0 ? 1 : 0, failed: violations.length === 0 ? 0 : 1 };
}

/** Runs every check and all tests. @returns how many have passed and failed */
export async function runEverything(): Promise<Outcome> {
  const outcomes = [
    await check('format and lint', bin('biome'), 'ci', '--error-on-warnings', '.'),
    ...(await Promise.all([
      check('types', bin('tsc'), '--project', '.'),
      check('types of the page client', bin('tsc'), '--project', 'web/page-client'),
      check('types of the tests in browsers', bin('tsc'), '--project', 'test/web'),
      check('unused code', bin('knip')),
      check('bundles and their sizes', 'node', 'infra/bundles/bundle.ts'),
    ])),
    await runTests(),
  ];
  const sum = (count: 'passed' | 'failed') => outcomes.reduce((total, outcome) => total + outcome[count], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}
