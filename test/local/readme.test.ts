import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalRuntime, startLocalRuntime } from '../support/local-runtime.ts';

const ROOT = join(import.meta.dirname, '../..');

let folder: string;
let runtime: LocalRuntime;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-readme-'));
  runtime = await startLocalRuntime({ state: join(folder, '.local'), args: ['--empty'] });
}, 120_000);

afterAll(async () => {
  await runtime?.stop();
  await rm(folder, { recursive: true, force: true });
}, 30_000);

const hasShell = (() => {
  try {
    execFileSync('bash', ['-c', 'command -v curl']);
    return true;
  } catch {
    return false;
  }
})();

/** The block of the README that begins with the definition of `demo`, as a newcomer pastes it. */
async function curlLines(): Promise<string> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const block = [...readme.matchAll(/```sh\n(.*?)```/gs)]
    .map(([, lines]) => lines)
    .find((lines) => lines?.includes('demo()'));
  if (block === undefined) throw new Error('The README has no block of curl lines.');
  return block;
}

test.skipIf(!hasShell)(
  "the README's curl lines work as pasted",
  async () => {
    const { stdout } = await promisify(execFile)('bash', ['-c', await curlLines()], { cwd: folder });
    const answers = stdout
      .replaceAll('}{', '}\n{')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(answers).toEqual([
      { data: { id: expect.any(String), update_token: expect.any(String) } },
      { received: 1 },
      {
        overview: { totalStarts: expect.any(Number), totalCompletions: 0, conversionRate: 0 },
        devices: expect.any(Array),
      },
      expect.objectContaining({ id: expect.any(String), name: 'Price objection' }),
    ]);
  },
  60_000,
);
