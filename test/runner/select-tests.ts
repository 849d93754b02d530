import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { UserError } from '../../infra/common/user-error.ts';
import type { StageName, Variant } from '../infra/stacks/templates/deployments.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Returns the test file or folder that a path selects, relative to the root. A source path selects the test file that
 * mirrors it. If there is no such test file, the path selects the tests of the closest folder that has tests.
 *
 * @throws UserError if the path does not exist in the repository, or if neither the path nor a folder above it has
 *   tests
 */
export function testsOf(path: string, root = ROOT): string {
  // npm runs scripts in the root, but the path is relative to the folder in which npm was started: `INIT_CWD`.
  const found = relative(root, resolve(process.env.INIT_CWD ?? root, path));
  if (found.startsWith('..') || !existsSync(join(root, found)))
    throw new UserError(`There is no file or folder ${path}.`);
  if (found === 'test' || found.startsWith('test/')) return withSlash(found, root);
  const mirrored = mirrorOf(found, root);
  if (mirrored === undefined) throw new UserError(`No test mirrors ${path}. Run "npm test" for all checks.`);
  return mirrored;
}

function mirrorOf(source: string, root: string): string | undefined {
  const file = join('test', source.replace(/\.ts$/, '.test.ts'));
  if (source.endsWith('.ts') && existsSync(join(root, file))) return file;
  for (let folder = source; folder !== '.'; folder = dirname(folder)) {
    const tests = join('test', folder);
    if (existsSync(join(root, tests))) return withSlash(tests, root);
  }
  return undefined;
}

/** Appends a slash to a folder. For `leads` without a slash, Vitest would select every path that contains `leads`. */
const withSlash = (path: string, root: string): string =>
  statSync(join(root, path)).isDirectory() ? `${path.replace(/\/$/, '')}/` : path;

const TEMPLATES = 'test/infra/stacks/templates';
/** These tests cover all functions. A change of any declaration can break them. */
const ABOUT_ALL_FUNCTIONS = [
  'test/infra/operations.test.ts',
  'test/end-to-end/openapi-examples.test.ts',
  ...['snapshots', 'stateful'].map((name) => `${TEMPLATES}/${name}.test.ts`),
];
/** Tests that run once per deployment. All deployments have the same functions, so one is enough. */
const PER_DEPLOYMENT = `${TEMPLATES}/checks.test.ts`;
const DEPLOYMENT: `${StageName}, ${Variant}` = 'prod, with Bedrock and the user pool';
/** Folders with tests that run once per function. The names of these tests contain the function's id. */
const PER_FUNCTION = [
  'test/contract',
  'test/infra/cli/cost',
  'test/infra/functions',
  'test/infra/policies',
  'test/infra/stacks/api',
];

export type FunctionTests = {
  /** Paths of test files and folders. All of their tests run. */
  whole: string[];
  /** Paths of test files. Only their tests with a name that matches `pattern` run. */
  named: string[];
  pattern: string;
};

export function testsOfFunction(id: string, root = ROOT): FunctionTests {
  const own = join('test/functions', id);
  const useCase = globSync(`test/shared/**/${basename(id)}.test.ts`, { cwd: root });
  const whole = existsSync(join(root, own)) ? [withSlash(own, root), ...useCase] : useCase;
  // Other files cannot have tests with the id in their names.
  const named = globSync(
    PER_FUNCTION.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root },
  ).filter((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return source.includes('functions/declarations.ts') || source.includes(id);
  });
  return {
    whole: [...whole, ...ABOUT_ALL_FUNCTIONS],
    named: [...named.sort(), PER_DEPLOYMENT],
    pattern: `${id}(?![\\w-])|${DEPLOYMENT}(?!,)`,
  };
}
