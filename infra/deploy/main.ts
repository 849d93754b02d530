import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { bundlePageClient, readIntegrity } from '../bundles/page-client.ts';
import { createTerminal } from '../cli/terminal/terminal.ts';
import { errorCode } from '../common/user-error.ts';
import { runDoctor } from '../doctor/program.ts';
import { builtLayerBytes } from '../functions/duckdb-layer.ts';
import { outputsFileName, STACKS, stackName, UNPROTECTED_STACKS } from '../names.ts';
import { PAGE_CLIENT_BUCKET_OUTPUT } from '../outputs.ts';
import { ALIAS_FOLDER, VERSION, VERSION_FOLDER } from '../page-client/delivery.ts';
import { isPublished, readVersions } from '../page-client/versions.ts';
import { settingsHelp } from '../settings/settings.ts';
import { parseStage, type Stage } from '../settings/stages.ts';
import { type DeployArguments, deployArgumentsOf } from './arguments.ts';
import { createCloudFormationClient } from './cloud-formation.ts';
import { deploy, type RunCdk } from './deploy.ts';
import { nextSteps, Outputs } from './next-steps.ts';
import { uploadPageClient } from './upload-page-client.ts';

// `npm run deploy`: see `HELP`. If the stage keeps its data, the command also enables the termination protection of
// each stack, after the first successful deployment of the stack.

const ROOT = join(import.meta.dirname, '..', '..');

const HELP = `Usage: npm run deploy -- [options]

Deploys all stacks of a stage. Needs AWS_REGION and AWS credentials.
The steps of the command:
  1. It builds the page client, and the DuckDB layer if that layer is missing
     or outdated.
  2. It checks the account (npm run doctor), and stops if the deployment would
     fail.
  3. It deploys the stacks with "cdk deploy --all", and writes their outputs to
     cdk-outputs.<stage>.json. Other commands with --stage read this file.
  4. It uploads the page client, and prints the next steps.

Options:
  --stage <name>              stage to deploy: dev (default), prod, or the name
                              of a preview stage, such as pr-123
  --expires <time>            only for a preview stage: days or hours from this
                              deployment until the stage expires, such as 3d or
                              12h (default: 7d, maximum: 90d)
  -c, --context <name=value>  value of a setting, see below; repeatable
  --profile <name>            profile of the AWS CLI whose credentials to use
  --skip-doctor               do not check the account (step 2)
  -h, --help                  show this help
All other options are passed to "cdk deploy": see "npx cdk deploy --help".

${settingsHelp()}`;

/** Reads only the settings `stage` and `expires`. The CDK CLI later starts the app, which checks all settings. */
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
  const clientFolder = await mkdtemp(join(tmpdir(), 'tributary-page-client-'));
  try {
    return await deployStage(given, stageOf(given), clientFolder);
  } finally {
    await rm(clientFolder, { recursive: true });
  }
}

/**
 * Builds the page client first. If the built version is already published with other files, the command fails before
 * anything is deployed.
 *
 * @returns the exit code
 */
async function deployStage(given: DeployArguments, stage: Stage, clientFolder: string): Promise<number> {
  await bundlePageClient(clientFolder);
  const isClientPublished = isPublished(readVersions(), await readIntegrity(clientFolder));
  if (builtLayerBytes(join(ROOT, 'dist')) === undefined) {
    process.stderr.write('Building the DuckDB layer.\n');
    const code = await runProgram('npm', ['run', 'layer'], ROOT);
    if (code !== 0) return code;
  }
  if (!given.skipsDoctor && !(await isAccountReady(given))) {
    process.stderr.write('Nothing was deployed. To deploy without the check of the account, add --skip-doctor.\n');
    return 1;
  }
  if (stage.expiresAt !== undefined) {
    process.stderr.write(
      `${stage.name} is a preview stage. "npm run stage -- list" shows when it expires. An expired stage stays until ` +
        `you run "npm run stage -- remove --expired", which removes all expired stages with their data.\n`,
    );
  }
  // Ctrl-C also reaches the CDK CLI. This process continues, so that it can protect the stacks that were deployed.
  process.on('SIGINT', () => undefined);
  const startedAtMs = Date.now();
  const cloudFormation = createCloudFormationClient(given.profile);
  const code = await deploy({
    cloudFormation,
    runCdk: cdk(stage, given.cdk),
    protectedStacks: stage.keepsData ? STACKS.map((part) => stackName(stage, part)) : [],
  });
  if (code !== 0) return code;
  const outputs = await readOutputs(stage);
  if (outputs === undefined) return code;
  const bucket = outputs.byStack[stackName(stage, 'web')]?.[PAGE_CLIENT_BUCKET_OUTPUT];
  if (bucket !== undefined && outputs.writtenAtMs >= startedAtMs) {
    const { region, credentials } = cloudFormation.config;
    const s3 = new S3Client({ region, credentials });
    await uploadPageClient({ s3, bucket, isPublished: isClientPublished, folder: clientFolder });
    if (!isClientPublished) process.stderr.write(`${NOT_PUBLISHED}\n`);
  }
  process.stdout.write(`\n${nextSteps(outputs.byStack, stage.name)}\n`);
  return code;
}

const NOT_PUBLISHED =
  `Version ${VERSION} of the page client is not published, so its files were not uploaded to /${VERSION_FOLDER}/, ` +
  `only to /${ALIAS_FOLDER}/. To publish a version, see docs/guides/deployment.md.`;

/**
 * Returns the outputs that the CDK CLI wrote, and when it wrote them; undefined if there is no file. With some options,
 * the CDK CLI deploys nothing and writes no outputs. The file may then be from an earlier deployment.
 */
async function readOutputs({ name }: Stage) {
  const file = outputsFileName(name);
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
    return { byStack: Outputs.parse(JSON.parse(text)), writtenAtMs: mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @returns the exit code */
function reportFailure(error: unknown): number {
  process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
  return 1;
}

// Exits explicitly, because calls of the doctor that have timed out would keep the process alive.
process.exit(await main(process.argv.slice(2)).catch(reportFailure));
