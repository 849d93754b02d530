import { createTerminal } from '../terminal/terminal.ts';
import { runLogs } from './program.ts';

// Entry point of `npm run logs`. Ctrl-C ends the process.

process.exitCode = await runLogs(process.argv.slice(2), createTerminal(process), new AbortController().signal);
