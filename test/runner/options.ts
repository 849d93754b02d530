import { parseArgs } from 'node:util';
import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { UserError } from '../../infra/common/user-error.ts';

export const HELP = `Usage: npm test -- [options] [PATH] ...

Without PATH and --for: every check and all tests, as CI runs them.

With PATH: only the tests of these files or folders. Of a source file or folder,
these are the tests that mirror it: shared/leads means test/shared/leads.

Options:
  --for ID       everything that concerns one function: its tests, contract,
                 policies, templates and bundle, for example training/read-call
  -t, --name RE  only tests whose names match this regular expression
  -w, --watch    stays and runs the tests again that a save concerns
  -h, --help     show this help

Tests run with the IAM policies of the stacks and with response validation.`;

/** What `npm test` runs. */
export type TestOptions =
  | { run: 'everything' }
  | { run: 'help' }
  | { run: 'paths'; paths: string[]; name?: string; watch: boolean }
  | { run: 'function'; id: string };

/** @throws UserError for an option, a combination or a function that does not exist */
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
    // The other sentences of Node explain how to pass a path that begins with a hyphen.
    const [reason] = String(cause instanceof Error ? cause.message : cause).split('. ');
    throw new UserError(`${reason}. See "npm test -- --help".`);
  }
}

function requireFunctionId(id: string): string {
  const ids = [...operations, ...backgroundFunctions].map((declared) => declared.id as string);
  if (ids.includes(id)) return id;
  throw new UserError(`There is no function ${id}. There are:\n  ${ids.join('\n  ')}`);
}
