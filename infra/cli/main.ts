import { connectToEnvironment } from './environment/target-environment.ts';
import { runCli } from './program/program.ts';
import { createInterruptibleTerminal } from './terminal/terminal.ts';

// Entry point of `npm run admin -- <group> <command>`. The groups are listed in `program/program.ts`.

process.exitCode = await runCli(process.argv.slice(2), {
  terminal: createInterruptibleTerminal(process),
  connect: connectToEnvironment,
});
