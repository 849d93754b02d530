import { parseArgs } from 'node:util';
import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { UserError } from '../../infra/common/user-error.ts';

export const HELP = `Usage: npm test -- [options] [PATH] ...

Without arguments: every check and all tests, as CI runs them.

With PATH: only the tests in these files or folders. For a source file or folder,
PATH selects the tests that mirror it: shared/leads selects test/shared/leads.

Options:
  --for ID       check everything that concerns one function, for example
                 training/read-call: its tests, contract, policies, templates
                 and bundle. Cannot be combined with PATH, --name or --watch
  -t, --name RE  run only tests whose names match this regular expression
  -w, --watch    keep running, and run the affected tests again after each save
  -h, --help     show this help

In tests, a function has only the permissions of its IAM policy, and each
response is checked against the declaration of its operation.`;

export type TestOptions =
  | { run: 'everything' }
  | { run: 'help' }
  | { run: 'paths'; paths: string[]; name?: string; watch: boolean }
  | { run: 'function'; id: string };

/** @throws UserError for invalid options, an unknown function, or options that cannot be combined */
export function parseTestOptions(args: readonly string[]): TestOptions {
  const { values, positionals: paths } = parseKnown(args);
  const { for: id, name, watch = false } = values;
  if (values.help) return { run: 'help' };
  if (id !== undefined) {
    if (paths.length > 0 || name !== undefined || watch)
      throw new UserError('Use --for without PATH, --name and --watch.');
    return { run: 'function', id: requireFunctionId(id) };
  }
  if (paths.length === 0 && name === undefined && !watch) return { run: 'everything' };
  return { run: 'paths', paths, watch, ...(name !== undefined && { name }) };
}

function parseKnown(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        for: { type: 'string' },
        name: { type: 'string', short: 't' },
        watch: { type: 'boolean', short: 'w' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (cause) {
    // Removes Node's advice on how to pass a path that begins with a hyphen.
    const [reason] = String(cause instanceof Error ? cause.message : cause).split('. ');
    throw new UserError(`${reason}. See "npm test -- --help".`);
  }
}

function requireFunctionId(id: string): string {
  const ids = [...operations, ...backgroundFunctions].map((declared) => declared.id as string);
  if (ids.includes(id)) return id;
  throw new UserError(`There is no function ${id}. There are:\n  ${ids.join('\n  ')}`);
}
