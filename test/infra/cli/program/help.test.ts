import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../../../infra/cli/program/program.ts';
import { admin } from '../../../support/cli/admin.ts';

const silent = { columns: 80, write: async () => undefined, note: () => undefined };
const program = buildProgram({ terminal: silent, connect: async () => ({ indexDelayMs: 0 }) });

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];
const below = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...below(one)]);
const all = below(program).map((command) => ({ path: pathOf(command), command }));
const leaves = all.filter(({ command }) => command.commands.length === 0);

describe.each(all)('the command $path', ({ path, command }) => {
  test('has a help of at most 80 columns, with a description that ends with a full stop', async () => {
    expect(command.description()).toMatch(/^[A-Z][^\n]*\.$/);
    const { code, out, err } = await admin([...path, '--help'], { columns: 80 });
    expect([code, err]).toEqual([0, '']);
    expect((await admin([...path, '--help'])).out).toBe(out);
    expect(out).toContain(`Usage: npm run admin -- ${path.join(' ')} `);
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  test('describes each option and argument in one line without a full stop', () => {
    for (const { description } of [...command.options, ...command.registeredArguments]) {
      expect(description).toMatch(/^\S[^\n]*[^.\s]$/);
    }
  });
});

/** Commands that always print JSON, so they need no option for JSON. */
const JSON_ALONE = ['funnels schema', 'funnels export'];

test.each(leaves.filter(({ path }) => !JSON_ALONE.includes(path.join(' '))))(
  'the command $path has the option --json or --format',
  ({ command }) => {
    const names = command.options.map(({ long }) => long);
    expect(names.includes('--json') || names.includes('--format')).toBe(true);
  },
);

test('0: "help" before the name of a group or command prints the same as --help after the name', async () => {
  for (const path of [[], ['organizations'], ['organizations', 'create']]) {
    const help = await admin([...path, '--help', '--state', 'x']);
    expect(help.code).toBe(0);
    expect(await admin(['help', ...path, '--state', 'x'])).toEqual(help);
  }
});
