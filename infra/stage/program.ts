import { type Command, InvalidArgumentError } from 'commander';
import { createSingleCommand, runProgram } from '../cli/program/single-command.ts';
import { toUserMessage } from '../cli/program/user-message.ts';
import { formatCount, formatDuration, formatList, formatTime } from '../cli/terminal/format.ts';
import { renderOutput, table } from '../cli/terminal/output.ts';
import { confirm, type Terminal } from '../cli/terminal/terminal.ts';
import { UserError } from '../common/user-error.ts';
import { STACKS, stackName } from '../names.ts';
import { stageKind, stageNameIssue } from '../settings/stage-name.ts';
import { describeStacks, type Preview, previewsIn } from './preview-stacks.ts';
import { type RemovalPorts, removePreview } from './remove-preview.ts';

export type StagePorts = {
  terminal: Terminal;
  /** Creates the clients of the region. @throws UserError if no region is set */
  connect(): Omit<RemovalPorts, 'report'>;
};

const DAY_MS = 86_400_000;

const ABOUT = `
Deploy a preview stage with "npm run deploy -- --stage pr-123 --expires 3d". The
commands need AWS_REGION and AWS credentials. An expired stage stays until
"remove" deletes it.

"list" prints the name, age, expiry and status of each preview stage. "remove"
deletes only stacks that have both the name and the tag of a preview stage, never
stacks of dev or prod. If a removal was interrupted, run "remove" again.`;

/**
 * Runs `npm run stage`.
 *
 * @param args without node and the script
 * @returns the exit code: 0 success, 1 failure, 2 usage error
 */
export const runStage = (args: readonly string[], ports: StagePorts): Promise<number> =>
  runProgram(programOf(ports), args, ports.terminal);

function programOf(ports: StagePorts): Command {
  const program = createSingleCommand('npm run stage --', ports.terminal)
    .description('Lists and removes preview stages.')
    .helpCommand(false)
    .addHelpText('after', ABOUT);
  program
    .command('list')
    .description('Lists the preview stages in the account and region. Changes nothing.')
    .action(() => list(ports));
  program
    .command('remove')
    .description(
      'Deletes the stacks of one preview stage or, with --expired, of all expired preview stages, and all their data.',
    )
    .argument('[stage]', 'name of a preview stage, such as pr-123; not with --expired', previewName)
    .option('--expired', 'remove all preview stages that have expired')
    .option('--yes', 'do not ask for confirmation')
    .action((stage: string | undefined, options: RemoveOptions, command: Command) => {
      if ((stage === undefined) === (options.expired === undefined))
        command.error('error: give either the name of a preview stage or --expired.');
      return remove(stage, options, ports);
    });
  return program;
}

type RemoveOptions = { expired?: true; yes?: true };

function previewName(given: string): string {
  const issue = stageNameIssue(given);
  if (issue !== undefined) throw new InvalidArgumentError(issue);
  if (stageKind(given) !== 'preview')
    throw new InvalidArgumentError(
      `${given} is not a preview stage, so this command does not remove it. See docs/operations.md#remove.`,
    );
  return given;
}

async function list({ terminal, connect }: StagePorts): Promise<void> {
  const previews = previewsIn(await describeStacks(connect().cloudFormation));
  const nowMs = Date.now();
  const rows = table(
    previews,
    [
      { head: 'Name', value: ({ name }) => name },
      { head: 'Age', value: ({ createdAtMs }) => formatAge(nowMs - createdAtMs) },
      { head: 'Expires', value: (preview) => expiryOf(preview, nowMs) },
      { head: 'Status', value: statusOf },
    ],
    'There is no preview stage.',
  );
  await renderOutput({ text: rows }, terminal, false);
}

async function remove(
  stage: string | undefined,
  { yes }: RemoveOptions,
  { terminal, connect }: StagePorts,
): Promise<void> {
  const ports = { ...connect(), report: (line: string) => terminal.write(`${line}\n`) };
  const stages = stage === undefined ? await expiredStages(ports) : [stage];
  if (stages.length === 0) return terminal.write('No preview stage has expired.\n');
  await confirm(terminal, `Delete all stacks and all data of ${formatList(stages)}?`, yes);
  const failed: string[] = [];
  for (const name of stages) {
    // Checks the expiry again, unless the operator named the stage. While earlier stages were removed, this stage may
    // have been deployed again.
    if (stage === undefined && !(await expiredStages(ports)).includes(name)) continue;
    try {
      await removePreview(name, ports);
    } catch (error) {
      // A stage that cannot be removed must not prevent the removal of the others.
      if (stages.length === 1) throw error;
      terminal.note(`${name}: ${toUserMessage(error)}`);
      failed.push(name);
    }
  }
  if (failed.length > 0) throw new UserError(`Not removed: ${formatList(failed)}. The reasons are above.`);
}

async function expiredStages({ cloudFormation }: Pick<RemovalPorts, 'cloudFormation'>): Promise<string[]> {
  const nowMs = Date.now();
  return previewsIn(await describeStacks(cloudFormation))
    .filter((preview) => hasExpired(preview, nowMs))
    .map(({ name }) => name);
}

const hasExpired = ({ expiresAtMs }: Preview, nowMs: number): boolean =>
  expiresAtMs !== undefined && expiresAtMs <= nowMs;

const formatAge = (ms: number): string =>
  ms < 2 * DAY_MS ? formatDuration(ms) : formatCount(Math.floor(ms / DAY_MS), 'day');

function expiryOf(preview: Preview, nowMs: number): string {
  if (preview.expiresAtMs === undefined) return 'unknown';
  return `${formatTime(preview.expiresAtMs)}${hasExpired(preview, nowMs) ? ' (expired)' : ''}`;
}

const DEPLOYED = new Set(['CREATE_COMPLETE', 'UPDATE_COMPLETE']);

/** Returns `deployed`, or the stacks that are not deployed, with their status. */
function statusOf({ name, stacks }: Preview): string {
  const parts = STACKS.flatMap((part) => {
    const stack = stacks.find((one) => one.name === stackName({ name }, part));
    return DEPLOYED.has(stack?.status ?? '') ? [] : [`${part} ${stack?.status ?? 'missing'}`];
  });
  return parts.length === 0 ? 'deployed' : parts.join(', ');
}
