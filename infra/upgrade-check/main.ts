import { createTerminal } from '../cli/terminal/terminal.ts';
import { createCloudFormationClient } from '../deploy/cloud-formation.ts';
import { runUpgradeCheck } from './program.ts';
import { synthesize } from './synthesize.ts';

process.exitCode = await runUpgradeCheck(process.argv.slice(2), {
  terminal: createTerminal(process),
  synthesize,
  connect: createCloudFormationClient,
});
