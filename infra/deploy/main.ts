import { spawn } from 'node:child_process';
import { once } from 'node:events';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { outputsFileName, STACKS, stackName, UNPROTECTED_STACKS } from '../names.ts';
import { parseStage, type Stage } from '../settings/stages.ts';
import { deployArgumentsOf } from './arguments.ts';
import { createCloudFormationClient } from './cloud-formation.ts';
import { deploy, type RunCdk } from './deploy.ts';

// `npm run deploy -- ARGUMENTS` runs `cdk deploy --all ARGUMENTS`. In a stage that keeps its data, it also enables
// termination protection of each stack after the stack's first deployment.

const args = process.argv.slice(2);
const { context, profile } = deployArgumentsOf(args);

/** Reads only the setting `stage`. The CDK CLI starts the app, which checks all settings. */
function stage(): Stage {
  const all: Record<string, unknown> = { ...cdkJson.context, ...context };
  return parseStage((name) => (name === 'stage' ? all.stage : undefined));
}

const cdk =
  ({ name }: Stage): RunCdk =>
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
  const deployed = stage();
  process.exitCode = await deploy({
    cloudFormation: createCloudFormationClient(profile),
    runCdk: cdk(deployed),
    protectedStacks: deployed.keepsData ? STACKS.map((part) => stackName(deployed, part)) : [],
  });
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
