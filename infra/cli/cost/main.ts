import { createTerminal } from '../terminal/terminal.ts';
import { runCost } from './program.ts';

// Entry point of `npm run cost`.

process.exitCode = await runCost(process.argv.slice(2), createTerminal(process));
