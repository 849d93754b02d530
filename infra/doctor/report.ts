import { styleText } from 'node:util';
import { printableLine } from '../cli/terminal/printable.ts';
import { formatTable } from '../cli/terminal/table.ts';
import { hangingIndent } from '../cli/terminal/wrap-text.ts';
import type { Fix, Result } from './check.ts';

type Problem = Extract<Result, { status: 'problem' }>;

const INDENT = '   ';

const COLORS = { ok: 'green', problem: 'red', 'not checked': 'yellow' } as const;

/** Whether the result makes the deployment fail. */
export const blocks = (result: Result): boolean => result.status === 'problem' && result.blocks;

/**
 * Returns a table with one line per check, with colors if the standard output is a terminal.
 *
 * @param columns width of the terminal; undefined if lines must not be broken
 */
export function tableOf(results: readonly Result[], columns: number | undefined): string {
  const head = ['RESULT', 'CHECK', 'DETAILS'];
  const rows = results.map(({ status, name, detail }) => [status, name, printableLine(detail)]);
  const widthOf = (at: number) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0));
  const table = formatTable({ head, widths: [widthOf(0), widthOf(1)], columns }, rows);
  return table.replace(/^(?:ok|problem|not checked)\b/gm, (status) =>
    styleText(COLORS[status as keyof typeof COLORS], status),
  );
}

/** Returns the problems with their fixes, and a summary. Problems that make the deployment fail come first. */
export function problemsText(results: readonly Result[], columns: number | undefined): string {
  const problems = results.filter((result) => result.status === 'problem');
  const [fatal, others] = [problems.filter(blocks), problems.filter((problem) => !blocks(problem))];
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length;
  return [
    section('Problems that make the deployment fail:', fatal, columns),
    section('Problems with which the deployment succeeds, but a feature does not work:', others, columns),
    `\nok: ${count('ok')}, problems: ${count('problem')}, not checked: ${count('not checked')}\n`,
    fatal.length === 0 ? 'No check found anything that makes the deployment fail.\n' : '',
  ].join('');
}

function section(heading: string, problems: readonly Problem[], columns: number | undefined): string {
  if (problems.length === 0) return '';
  return `\n${styleText('bold', heading)}\n${problems.map((problem) => `\n${problemText(problem, columns)}`).join('')}`;
}

const problemText = ({ name, detail, fix }: Problem, columns: number | undefined): string =>
  [`${name}\n`, hangingIndent(INDENT, printableLine(detail), columns), fixText(fix, columns)].join('');

/** Commands are not wrapped, so that they can be copied. */
const fixText = ({ advice, commands = [] }: Fix, columns: number | undefined): string =>
  [hangingIndent(INDENT, advice, columns), ...commands.map((line) => `${INDENT}  ${line}\n`)].join('');
