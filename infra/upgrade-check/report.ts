import { formatCount } from '../cli/terminal/format.ts';
import { printableLine } from '../cli/terminal/printable.ts';
import { hangingIndent } from '../cli/terminal/wrap-text.ts';
import type { CheckedStack } from './check-stack.ts';
import type { Drift, StackDrift } from './drift.ts';
import { RECREATED_TYPES } from './stateful-types.ts';
import type { Change, Problem } from './template-changes.ts';

/** Width of a terminal; undefined if lines must not be broken. */
type Columns = number | undefined;

const indented = (depth: number, text: string, columns: Columns): string =>
  hangingIndent('  '.repeat(depth), printableLine(text), columns);

export function stackText({ name, status, isNew, changes, problems }: CheckedStack, columns: Columns): string {
  if (isNew) return `${name}: not deployed yet. The deployment creates it.\n`;
  const head = `${name}${status === undefined ? '' : ` (${status})`}\n`;
  if (changes.length > 0) return head + changes.map((change) => changeText(change, columns)).join('');
  return head + indented(1, problems.length > 0 ? 'Not compared. The reason is below.' : 'No change.', columns);
}

function changeText({ what, type, ids }: Change, columns: Columns): string {
  const head = indented(1, `${what}: ${ids.length} ${type}`, columns);
  // Ids of versions of functions and layers are left out. They end in a hash, which differs in each release.
  return RECREATED_TYPES.includes(type) ? head : head + indented(3, ids.join(', '), columns);
}

export function driftText(stacks: readonly StackDrift[], columns: Columns): string {
  const found = stacks.flatMap(({ name, drifts }) => drifts.map((drift) => driftLines(name, drift, columns)));
  if (found.length === 0) {
    const isComplete = stacks.every(({ problems }) => problems.length === 0);
    return isComplete ? 'No drift: all resources that AWS can compare are as deployed.\n' : '';
  }
  const head = `Drift: ${formatCount(found.length, 'resource')} changed outside CloudFormation.\n`;
  return head + found.join('') + indented(1, DRIFT_ADVICE, columns);
}

const DRIFT_ADVICE =
  'CloudFormation compares the new template with the deployed template, not with the actual values. Undo each change ' +
  'in AWS, or put the actual value into the stack or its settings. A deployment that changes a deleted resource fails.';

const driftLines = (stackName: string, { id, type, physicalId, differences }: Drift, columns: Columns): string =>
  indented(1, `${stackName}: ${id} (${type}${physicalId === undefined ? '' : `, ${physicalId}`})`, columns) +
  differences.map((one) => indented(3, one, columns)).join('');

export const problemsText = (problems: readonly Problem[], columns: Columns): string =>
  `Solve these problems before you deploy:\n${problems.map((problem) => problemText(problem, columns)).join('')}`;

const problemText = ({ where, reason, advice }: Problem, columns: Columns): string =>
  indented(1, where, columns) + indented(3, reason, columns) + indented(3, advice, columns);
