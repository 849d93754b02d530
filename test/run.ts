import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatheringGrants, grantFaults } from './unused-grants.ts';

/** Everything that must hold, in one command; the last line counts: `N passed, N failed`. */

type Outcome = { passed: number; failed: number };

const bin = (name: string) => join('node_modules', '.bin', name);

/** A tool that says yes or no; its words are shown when it says no. */
async function check(name: string, command: string, ...parameters: string[]): Promise<Outcome> {
  const { code, output } = await run(command, parameters, 'kept');
  console.log(`${code === 0 ? '✓' : '✗'} ${name}`);
  if (code !== 0) console.log(output);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

/** The tests, with their own words, counted one by one. */
async function tests(): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-'));
  const file = join(folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  Object.assign(process.env, gatheringGrants(folder));
  const { code } = await run(bin('vitest'), ['run', '--config', 'test/vitest.config.ts', ...reporters], 'shown');
  const [counts, grants] = [await countsOf(file), await grantsIn(folder)];
  await rm(folder, { recursive: true, force: true });
  // A file that can't even be loaded has no failed test of its own, but the run's exit code tells.
  const failed = Math.max(counts.failed, code === 0 ? 0 : 1);
  return { passed: counts.passed + grants.passed, failed: failed + grants.failed };
}

/** Only a whole run can tell that a grant is of no use. */
async function grantsIn(folder: string): Promise<Outcome> {
  const faults = await grantFaults(folder);
  console.log(`${faults.length === 0 ? '✓' : '✗'} grants: each is used, and nothing more is asked for`);
  for (const fault of faults) console.log(`  ${fault}`);
  return { passed: faults.length === 0 ? 1 : 0, failed: faults.length === 0 ? 0 : 1 };
}

async function countsOf(file: string): Promise<{ passed: number; failed: number }> {
  try {
    const results: { numPassedTests: number; numFailedTests: number } = JSON.parse(await readFile(file, 'utf8'));
    return { passed: results.numPassedTests, failed: results.numFailedTests };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

function run(
  command: string,
  parameters: string[],
  output: 'kept' | 'shown',
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, {
      stdio: ['ignore', output === 'shown' ? 'inherit' : 'pipe', output === 'shown' ? 'inherit' : 'pipe'],
    });
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
  await tests(),
];
const sum = (count: 'passed' | 'failed') => outcomes.reduce((total, outcome) => total + outcome[count], 0);
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
