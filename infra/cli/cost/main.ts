import { createTerminal } from '../terminal/terminal.ts';
import { runCost } from './program.ts';

process.exitCode = await runCost(process.argv.slice(2), createTerminal(process));
