import { connectToEnvironment } from '../cli/environment/target-environment.ts';
import { createInterruptibleTerminal } from '../cli/terminal/terminal.ts';
import { runSmoke } from './program.ts';

process.exitCode = await runSmoke(process.argv.slice(2), {
  terminal: createInterruptibleTerminal(process),
  connect: connectToEnvironment,
});
