import { createTerminal } from '../cli/terminal/terminal.ts';
import { runDoctor } from './program.ts';

// `npm run doctor`: see `program.ts`. Exits explicitly, because calls that have timed out would keep the process alive.

process.exit(await runDoctor(process.argv.slice(2), createTerminal(process)));
