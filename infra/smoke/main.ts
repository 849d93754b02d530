import { connect } from '../admin/place.ts';
import { interruptibleTerminal } from '../admin/terminal.ts';
import { runSmoke } from './program.ts';

// `npm run smoke`: see `program.ts`.

process.exitCode = await runSmoke(process.argv.slice(2), { terminal: interruptibleTerminal(process), connect });
