import { connectToEnvironment } from './environment/target-environment.ts';
import { runCli } from './program/program.ts';
import { createInterruptibleTerminal } from './terminal/terminal.ts';

// `npm run admin -- <group> <command>`: see `program.ts`.

process.exitCode = await runCli(process.argv.slice(2), {
  terminal: createInterruptibleTerminal(process),
  connect: connectToEnvironment,
});
