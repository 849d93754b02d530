import { spawn } from 'node:child_process';
import { once } from 'node:events';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { outputsFileName, STACKS, stackName, UNPROTECTED_STACKS } from '../names.ts';
import { parseStage, type Stage } from '../settings/stages.ts';
import { type DeployArguments, deployArgumentsOf } from './arguments.ts';
import { createCloudFormationClient } from './cloud-formation.ts';
import { deploy, type RunCdk } from './deploy.ts';

// `npm run deploy -- ARGUMENTS` runs `cdk deploy --all ARGUMENTS`. In a stage that keeps its data, it also enables
// termination protection of each stack after the stack's first deployment.

/** Reads only the settings `stage` and `expires`. The CDK CLI starts the app, which checks all settings. */
function stageOf({ context }: DeployArguments): Stage {
  const all: Record<string, unknown> = { ...cdkJson.context, ...context };
  return parseStage((name) => (name === 'stage' || name === 'expires' ? all[name] : undefined));
}

const cdk =
  ({ name }: Stage, args: DeployArguments['cdk']): RunCdk =>
  async (unprotectedStacks) => {
    const unprotected = unprotectedStacks.length === 0 ? [] : ['-c', `${UNPROTECTED_STACKS}=${unprotectedStacks}`];
    const own = ['deploy', '--all', '--outputs-file', outputsFileName(name), ...unprotected];
    const child = spawn('cdk', [...own, ...args], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    return Number(code ?? 1);
  };

// Ctrl-C also reaches the CDK CLI. This process continues, so that it can protect the stacks that were deployed.
process.on('SIGINT', () => undefined);

try {
  const args = deployArgumentsOf(process.argv.slice(2));
  const stage = stageOf(args);
  if (stage.expiresAt !== undefined) {
    process.stderr.write(
      `${stage.name} is a preview stage. "npm run stage -- list" shows when it expires. After that, ` +
        `"npm run stage -- remove --expired" removes it with its data.\n`,
    );
  }
  process.exitCode = await deploy({
    cloudFormation: createCloudFormationClient(args.profile),
    runCdk: cdk(stage, args.cdk),
    protectedStacks: stage.keepsData ? STACKS.map((part) => stackName(stage, part)) : [],
  });
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
