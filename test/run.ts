import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findUnusedGrants, GRANTS_FOLDER, readDenials } from '../infra/policies/grant-usage.ts';
import { ensurePolicyFile, readPolicies } from '../infra/policies/policy-file.ts';
import { UNTESTED_GRANTS } from '../infra/policies/untested-grants.ts';

/** `npm test`: runs every check and all tests. The last line counts them: `N passed, N failed`. */

type Outcome = { passed: number; failed: number };

const bin = (name: string) => join('node_modules', '.bin', name);

/** Runs a tool that passes or fails as a whole, and prints its output if it fails. */
async function check(name: string, command: string, ...args: string[]): Promise<Outcome> {
  const { code, output } = await run(command, args, 'capture');
  console.log(`${code === 0 ? '✓' : '✗'} ${name}`);
  if (code !== 0) console.log(output);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

/** Runs vitest and counts each test. */
async function runTests(): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-'));
  const resultsFile = join(folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultsFile}`];
  process.env[GRANTS_FOLDER] = folder;
  const { code } = await run(bin('vitest'), ['run', '--config', 'test/vitest.config.ts', ...reporters], 'print');
  const [counts, grants] = [await readCounts(resultsFile), await checkGrants(folder)];
  await rm(folder, { recursive: true, force: true });
  // A test file that fails to load has no failed test, but it changes the exit code.
  const failed = Math.max(counts.failed, code === 0 ? 0 : 1);
  return { passed: counts.passed + grants.passed, failed: failed + grants.failed };
}

/** Checks the denials and unused grants that the whole run recorded. */
async function checkGrants(folder: string): Promise<Outcome> {
  const policies = readPolicies(await ensurePolicyFile());
  const unused = findUnusedGrants(policies, folder, UNTESTED_GRANTS).map(
    ({ id, action, resources }) => `${id} has the grant ${action} on ${resources.join(', ')}, which no test uses.`,
  );
  const violations = [...readDenials(folder), ...unused];
  console.log(`${violations.length === 0 ? '✓' : '✗'} grants: every grant is used, no call is denied`);
  for (const violation of violations) console.log(`  ${violation}`);
  return { passed: violations.length === 0 ? 1 : 0, failed: violations.length === 0 ? 0 : 1 };
}

async function readCounts(file: string): Promise<{ passed: number; failed: number }> {
  try {
    const results: { numPassedTests: number; numFailedTests: number } = JSON.parse(await readFile(file, 'utf8'));
    return { passed: results.numPassedTests, failed: results.numFailedTests };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

function run(
  command: string,
  args: string[],
  outputMode: 'capture' | 'print',
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const stream = outputMode === 'print' ? 'inherit' : 'pipe';
    const child = spawn(command, args, { stdio: ['ignore', stream, stream] });
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}

const outcomes = [
  await check('format and lint', bin('biome'), 'ci', '--error-on-warnings', '.'),
  ...(await Promise.all([
    check('types', bin('tsc'), '--project', '.'),
    check('unused code', bin('knip')),
    check('bundles and their sizes', 'node', 'infra/bundles/bundle.ts'),
  ])),
  await runTests(),
];
const sum = (count: 'passed' | 'failed') => outcomes.reduce((total, outcome) => total + outcome[count], 0);
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
