import { connect } from './place.ts';
import { runAdmin } from './program.ts';
import { interruptibleTerminal } from './terminal.ts';

// `npm run admin -- <group> <command>`: see `program.ts`.

process.exitCode = await runAdmin(process.argv.slice(2), { terminal: interruptibleTerminal(process), connect });
