import { connect } from '../admin/place.ts';
import { terminalOf } from '../admin/terminal.ts';
import { runSmoke } from './program.ts';

// `npm run smoke`: see `program.ts`.

process.exitCode = await runSmoke(process.argv.slice(2), { terminal: terminalOf(process), connect });
