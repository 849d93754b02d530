import { connectToEnvironment } from '../environment/target-environment.ts';
import { createInterruptibleTerminal } from '../terminal/terminal.ts';
import { lakePorts } from './lake-ports.ts';
import { runQuery } from './program.ts';

process.exitCode = await runQuery(process.argv.slice(2), {
  terminal: createInterruptibleTerminal(process),
  connect: connectToEnvironment,
  ...lakePorts(),
});
