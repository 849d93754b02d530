import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { createTerminal } from '../cli/terminal/terminal.ts';
import { runDoctor } from '../doctor/program.ts';
import { builtLayerBytes } from '../functions/duckdb-layer.ts';
import { outputsFileName, STACKS, stackName, UNPROTECTED_STACKS } from '../names.ts';
import { settingsHelp } from '../settings/settings.ts';
import { parseStage, type Stage } from '../settings/stages.ts';
import { type DeployArguments, deployArgumentsOf } from './arguments.ts';
import { createCloudFormationClient } from './cloud-formation.ts';
import { deploy, type RunCdk } from './deploy.ts';
import { nextSteps } from './next-steps.ts';

// `npm run deploy`: builds the DuckDB layer if it is missing, checks the account, runs `cdk deploy --all`, and prints
// the next steps. In a stage that keeps its data, also enables termination protection of each stack after the stack's
// first deployment.

const ROOT = join(import.meta.dirname, '..', '..');

const HELP = `Usage: npm run deploy -- [options]

Deploys all stacks of a stage. First checks the account (npm run doctor) and
builds the DuckDB layer if it is missing. Writes cdk-outputs.<stage>.json, which
other commands with --stage read. Needs AWS_REGION and AWS credentials.

Options:
  --stage <name>         dev (default), prod, or the name of a preview stage
  --expires <time>       when a preview stage expires, such as 3d or 12h (default: 7d)
  -c, --context <n>=<v>  a setting; repeatable
  --profile <name>       AWS profile
  --skip-doctor          do not check the account first
  --help                 show this help
All other options are passed to "cdk deploy": see "npx cdk deploy --help".

${settingsHelp()}`;

/** Reads only the settings `stage` and `expires`. The CDK CLI starts the app, which checks all settings. */
function stageOf({ context }: DeployArguments): Stage {
  const all: Record<string, unknown> = { ...cdkJson.context, ...context };
  return parseStage((name) => (name === 'stage' || name === 'expires' ? all[name] : undefined));
}

async function runProgram(command: string, args: readonly string[], cwd?: string): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', ...(cwd && { cwd }) });
  const [code] = await once(child, 'exit');
  return Number(code ?? 1);
}

const cdk =
  ({ name }: Stage, args: DeployArguments['cdk']): RunCdk =>
  (unprotectedStacks) => {
    const unprotected = unprotectedStacks.length === 0 ? [] : ['-c', `${UNPROTECTED_STACKS}=${unprotectedStacks}`];
    const own = ['deploy', '--all', '--outputs-file', outputsFileName(name), ...unprotected];
    return runProgram('cdk', [...own, ...args]);
  };

/** Checks the account with the settings of the deployment. @returns whether the account passes the checks */
async function isAccountReady({ context, profile }: DeployArguments): Promise<boolean> {
  const settings = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = [...settings, ...(profile === undefined ? [] : ['--profile', profile])];
  return (await runDoctor(args, createTerminal(process))) === 0;
}

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const given = deployArgumentsOf(args);
  const stage = stageOf(given);
  if (builtLayerBytes(join(ROOT, 'dist')) === undefined) {
    process.stderr.write('Building the DuckDB layer.\n');
    const code = await runProgram('npm', ['run', 'layer'], ROOT);
    if (code !== 0) return code;
  }
  if (!given.skipsDoctor && !(await isAccountReady(given))) {
    process.stderr.write('Nothing was deployed. To deploy without this check, add --skip-doctor.\n');
    return 1;
  }
  if (stage.expiresAt !== undefined) {
    process.stderr.write(
      `${stage.name} is a preview stage. "npm run stage -- list" shows when it expires. After that, ` +
        `"npm run stage -- remove --expired" removes it with its data.\n`,
    );
  }
  // Ctrl-C also reaches the CDK CLI. This process continues, so that it can protect the stacks that were deployed.
  process.on('SIGINT', () => undefined);
  const code = await deploy({
    cloudFormation: createCloudFormationClient(given.profile),
    runCdk: cdk(stage, given.cdk),
    protectedStacks: stage.keepsData ? STACKS.map((part) => stackName(stage, part)) : [],
  });
  // With some options, the CDK CLI deploys nothing and writes no outputs.
  const outputs = code === 0 ? await readFile(outputsFileName(stage.name), 'utf8').catch(() => undefined) : undefined;
  if (outputs !== undefined) process.stdout.write(`\n${nextSteps(JSON.parse(outputs), stage.name)}\n`);
  return code;
}

/** @returns the exit code */
function reportFailure(error: unknown): number {
  process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
  return 1;
}

// Exits explicitly, because calls of the doctor that have timed out would keep the process alive.
process.exit(await main(process.argv.slice(2)).catch(reportFailure));
