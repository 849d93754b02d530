import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GRANTS_FOLDER } from '../../infra/policies/grant-usage.ts';
import { POLICIES_FILE } from '../../infra/policies/policy-file.ts';
import { type CheckoutCopy, copyCheckout } from '../support/checkout-copy.ts';
import { type CodeBlock, codeBlocksOf, proseOf } from '../support/documents.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';
import { SYNTHESIS_FOLDER } from '../support/synthesis-folder.ts';

// Follows CONTRIBUTING.md in a copy of the checkout: adds the operation, compares the failures with those that step 7
// quotes, and resolves them.

const ROOT = join(import.meta.dirname, '../..');
const TIMEOUT = 600_000;

const blocks = codeBlocksOf('CONTRIBUTING.md');
const shellBlock = (name: string): string => blocks.find(({ attributes }) => attributes.test === name)?.text ?? '';
const filesOf = (block: CodeBlock): boolean => block.attributes.file !== undefined;
/** Index of the first block of step 7. */
const decisionsFrom = blocks.findIndex(({ attributes }) => attributes.file === 'infra/cli/cost/assumptions.ts');

/** Folder of synthesized stacks. All commands can use the same stacks, because step 7 does not change them. */
const SYNTHESES = 'syntheses';
const COST_MODEL = 'test/infra/cli/cost/model-gaps.test.ts';
/** The tests of `npm test -- --for` that fail until the decisions of step 7 are made. */
const UNDECIDED = [
  COST_MODEL,
  'test/infra/stacks/templates/stateful.test.ts',
  'test/infra/stacks/templates/snapshots.test.ts',
];

let copy: CheckoutCopy;
beforeAll(async () => {
  copy = await copyCheckout();
  await mkdir(join(copy.root, SYNTHESES));
  const others = ['test', 'docs', 'vitest.config.ts', 'biome.json', '.gitignore'];
  const filter = (path: string) => !path.endsWith('/node_modules');
  await Promise.all(others.map((name) => cp(join(ROOT, name), join(copy.root, name), { recursive: true, filter })));
  for (const block of blocks.slice(0, decisionsFrom).filter(filesOf)) await apply(block);
}, TIMEOUT);
afterAll(() => copy?.remove(), 30_000);

/** Writes a block as a new file. If the block is a diff, inserts the `+` lines of each hunk below the other lines. */
async function apply({ attributes: { file = '' }, language, line, text }: CodeBlock): Promise<void> {
  const path = join(copy.root, file);
  if (language !== 'diff') {
    await mkdir(dirname(path), { recursive: true });
    return writeFile(path, text, { flag: 'wx' });
  }
  let content = await readFile(path, 'utf8');
  for (const hunk of text.split(/^\n/m)) {
    const linesWith = (mark: string) =>
      hunk.split('\n').flatMap((one) => (one.startsWith(mark) ? `${one.slice(mark.length)}\n` : []));
    const existing = linesWith(' ').join('');
    const found = content.split(existing).length - 1;
    if (found !== 1)
      throw new Error(`CONTRIBUTING.md, line ${line}: ${file} contains these lines ${found} times:\n${existing}`);
    content = content.replace(existing, () => existing + linesWith('+').join(''));
  }
  return writeFile(path, content);
}

/** Runs a command in the copy. @returns its exit code and output */
async function run(command: string, ...args: string[]): Promise<{ code: number; output: string }> {
  // Passes no other variables, because variables of this Vitest would change the behaviour of the Vitest in the copy.
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, NO_COLOR: '1', [SYNTHESIS_FOLDER]: join(copy.root, SYNTHESES) };
  return promisify(execFile)(command, args, { cwd: copy.root, env, maxBuffer: 1e8 }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), output: stdout + stderr }),
  );
}

/** @throws Error with the output if the command fails */
async function pass(command: string, ...args: string[]): Promise<void> {
  const { code, output } = await run(command, ...args);
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')}\n${output}`);
}

describe('CONTRIBUTING.md', () => {
  test('marks with `test=` exactly the blocks that this test runs', () => {
    expect(decisionsFrom).toBeGreaterThan(5);
    const named = blocks.flatMap(({ attributes }) => attributes.test ?? []);
    expect(named.sort()).toEqual(['call', 'own-tests', 'snapshots', 'types']);
  });

  test('steps 1 to 5: the tests of the operation pass', { timeout: TIMEOUT }, async () => {
    await pass('bash', '-c', shellBlock('own-tests'));
  });

  test('step 6: npm start serves the operation', { timeout: TIMEOUT }, async () => {
    const state = join(copy.root, '.local');
    let runtime: LocalRuntime | undefined;
    try {
      // Removes these variables, so that the copy uses its own policies, which include the policy of the new function.
      const env = { [POLICIES_FILE]: undefined, [GRANTS_FOLDER]: undefined };
      runtime = await startLocalRuntime({ root: copy.root, state, env, args: ['--empty'] });
      const [variables = ''] = codeBlocksOf('README.md')
        .filter(({ attributes }) => attributes.test === 'main-operations')
        .map(({ text }) => text.split(/^\n/m)[0]);
      const { output } = await run('bash', '-c', variables + shellBlock('call'));
      expect(JSON.parse(output)).toMatchObject({ id: runtime.demo.caseId, archivedAt: null });
    } finally {
      await runtime?.stop();
    }
  });

  test('step 7: npm test reports the quoted failures, and the changes of the step resolve them', {
    timeout: TIMEOUT,
  }, async () => {
    const before = await run('npm', 'test', '--', '--for', 'training/read-case');
    expect(before.code).toBe(1);
    const failures = [...before.output.matchAll(/^✗ (.+)$/gm)].map(([, failure = '']) => failure);
    expect(failures).not.toHaveLength(0);
    expect(failures.filter((failure) => !UNDECIDED.some((file) => failure.startsWith(`${file}: `)))).toEqual([]);
    const step = proseOf('CONTRIBUTING.md').split(/^### /m)[7] ?? '';
    const quoted = [...step.matchAll(/\((`[^`]+`(?:, `[^`]+`)*)\)/g)].flatMap(([, all = '']) =>
      all.slice(1, -1).split('`, `'),
    );
    expect(quoted).toHaveLength(3);
    for (const message of quoted) expect(failures.join('\n')).toContain(message);

    const rest = blocks.slice(decisionsFrom);
    for (const block of rest.filter(filesOf)) await apply(block);
    // Updates the snapshots and tests the cost model in one run, because each start of Vitest takes seconds.
    await pass('bash', '-c', `${shellBlock('snapshots').trim()} ${COST_MODEL}`);
  });

  test('the pasted code is formatted, and the project compiles', { timeout: TIMEOUT }, async () => {
    const files = blocks.flatMap(({ attributes }) => attributes.file ?? []);
    await pass('npx', 'biome', 'ci', ...new Set(files));
    await pass('bash', '-c', shellBlock('types'));
  });
});
