import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { Command } from 'commander';
import { createSingleCommand, runProgram } from '../cli/program/single-command.ts';
import { formatCount, formatDuration, formatList } from '../cli/terminal/format.ts';
import type { Terminal } from '../cli/terminal/terminal.ts';
import { UserError } from '../common/user-error.ts';
import { type DeployArguments, deployArgumentsOf } from '../deploy/arguments.ts';
import { type CheckedStack, checkStack } from './check-stack.ts';
import { type DriftWait, detectDrift, type StackDrift } from './drift.ts';
import { driftText, problemsText, stackText } from './report.ts';
import type { Synthesize } from './synthesize.ts';

const ABOUT = `
Run this command before you deploy a new version to a running stage, with the
settings that you will give to "npm run deploy" (-c name=value). The command
needs AWS_REGION, AWS credentials, and the current DuckDB layer, which "npm run
layer" builds. It synthesizes the stacks, compares them with the deployed
templates, and detects drift, that is, changes that were made outside
CloudFormation. The command changes nothing. Detecting drift takes at most
10 minutes.

The exit code is 1 if the deployment would replace or remove a resource with data,
if a stack cannot be updated, or if a stack or its drift could not be checked.
Drift alone does not change the exit code.`;

/** Detection takes several minutes in large stacks. */
const DRIFT_WAIT: DriftWait = { limitMs: 10 * 60_000, pollMs: 5_000 };
const PROGRESS_MS = 15_000;

type Ports = {
  terminal: Terminal;
  synthesize: Synthesize;
  connect: (profile: string | undefined) => CloudFormationClient;
  driftWait?: DriftWait;
};

type Options = { drift: boolean };

/**
 * Runs `npm run upgrade-check`.
 *
 * @param args without node and the script
 * @returns the exit code: 0 if nothing prevents the deployment, 1 if something does or a check fails, 2 for wrong usage
 */
export const runUpgradeCheck = (args: readonly string[], ports: Ports): Promise<number> =>
  runProgram(programOf(args, ports), args, ports.terminal);

const programOf = (args: readonly string[], ports: Ports): Command =>
  createSingleCommand('npm run upgrade-check --', ports.terminal)
    .description('Shows what a deployment would change in a running stage, and which problems to solve first.')
    .option('--stage <name>', 'stage to check: dev (default), prod, or the name of a preview stage, such as pr-123')
    .option(
      '-c, --context <name=value>',
      'value of a setting of the deployment; repeatable; "npm run deploy -- --help" lists the settings',
    )
    .option(
      '--expires <time>',
      'only for a preview stage: days or hours from the deployment until the stage expires, such as 3d or 12h ' +
        '(default: 7d, maximum: 90d)',
    )
    .option('--profile <name>', 'profile of the AWS CLI whose credentials to use')
    .option('--no-drift', 'do not look for changes that were made outside CloudFormation')
    .addHelpText('after', ABOUT)
    .action((options: Options) => check(deployArgumentsOf(args), options, ports));

async function check(settings: DeployArguments, { drift }: Options, ports: Ports): Promise<void> {
  const { terminal, synthesize, connect } = ports;
  terminal.note('Synthesizing the stacks…');
  const next = await synthesize(settings, terminal.note);
  const cloudFormation = connect(settings.profile);
  const stacks = await Promise.all(next.map((stack) => checkStack(cloudFormation, stack)));
  if (stacks.every(({ isNew }) => isNew)) throw await nothingDeployed(stacks, cloudFormation);
  for (const stack of stacks) await terminal.write(`${stackText(stack, terminal.columns)}\n`);
  const updatable = stacks.filter(({ isUpdatable }) => isUpdatable);
  const drifts = drift ? await detectAll(updatable, cloudFormation, ports) : [];
  if (drifts.length > 0) await terminal.write(`${driftText(drifts, terminal.columns)}\n`);
  const problems = [...stacks, ...drifts].flatMap((one) => one.problems);
  if (problems.length === 0) return terminal.write('Nothing prevents the deployment.\n');
  await terminal.write(`${problemsText(problems, terminal.columns)}\n`);
  throw new UserError(`Do not deploy yet: solve ${formatCount(problems.length, 'problem')} first.`);
}

async function nothingDeployed(stacks: readonly CheckedStack[], { config }: CloudFormationClient): Promise<UserError> {
  const names = formatList(stacks.map(({ name }) => name));
  return new UserError(
    `None of the stacks ${names} is deployed in ${await config.region()} in the account of the current credentials. ` +
      'Check AWS_REGION and the credentials. ' +
      'For a first deployment, see "Deploy for the first time" in docs/operations.md.',
  );
}

async function detectAll(
  stacks: readonly CheckedStack[],
  cloudFormation: CloudFormationClient,
  { terminal, driftWait = DRIFT_WAIT }: Ports,
): Promise<StackDrift[]> {
  const startedAtMs = Date.now();
  let finished = 0;
  terminal.note(`Detecting drift, for at most ${formatDuration(driftWait.limitMs)}…`);
  const progress = setInterval(() => {
    const time = formatDuration(Date.now() - startedAtMs);
    terminal.note(`Drift: ${finished} of ${formatCount(stacks.length, 'stack')} finished after ${time}.`);
  }, PROGRESS_MS);
  try {
    return await Promise.all(
      stacks.map(async ({ name }) => {
        const found = await detectDrift(cloudFormation, name, driftWait);
        finished += 1;
        return found;
      }),
    );
  } finally {
    clearInterval(progress);
  }
}
