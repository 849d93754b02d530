import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UserError } from '../../common/user-error.ts';

export type StartOptions = {
  /** Whether to delete the state before the start. */
  reset: boolean;
  /** Whether to seed the demo without sessions. */
  empty: boolean;
  port: number;
  /** Absolute path of the state folder. */
  state: string;
  rateLimits: boolean;
  /** Origins of pages that may call organization routes. If empty, every page of this machine may call them. */
  origins: string[];
};

export const ROOT = join(import.meta.dirname, '../../..');

/** One less than the highest port, because the pages use the next port. */
const PORT_MAX = 65_534;

const USAGE =
  'Options: --reset (delete the state first), --empty (seed no sessions), --port N (default 3000), --origin URL, --state FOLDER.';

export const HELP = `Usage: npm start -- [options]

Starts Tributary with demo data on this machine. Press Ctrl-C to stop it. The
state stays, and the next start continues with it.

Options:
  --reset         delete the state first
  --empty         seed the demo without sessions
  --port <n>      port of the API (default: 3000); the pages use the next port
  --origin <url>  origin of a page that may call organization routes, repeatable
                  (default: any page of this machine)
  --state <path>  folder for the state (default: .local)
  --help          show this help

Set LOCAL_RATE_LIMITS=off to disable rate limits for load tests.
For the operator's commands, run: npm run admin.`;

/** Whether the command line contains a help option, even if other options are invalid. */
export const isHelpRequested = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');

/**
 * Parses the command line of `npm start`.
 *
 * @throws UserError for an unknown option or an invalid value
 */
export function parseStartOptions(args: readonly string[], env: NodeJS.ProcessEnv): StartOptions {
  const values = parseValues(args);
  return {
    reset: values.reset ?? false,
    empty: values.empty ?? false,
    port: parsePort(values.port ?? '3000'),
    state: resolve(values.state ?? join(ROOT, '.local')),
    origins: (values.origin ?? []).map(parseOrigin),
    rateLimits: env.LOCAL_RATE_LIMITS !== 'off',
  };
}

function parseValues(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        reset: { type: 'boolean' },
        empty: { type: 'boolean' },
        port: { type: 'string' },
        origin: { type: 'string', multiple: true },
        state: { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : 'The options cannot be parsed';
    throw new UserError(`${reason}. ${USAGE}`, { cause: error });
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= PORT_MAX) return port;
  throw new UserError(`--port must be a number from 1 to ${PORT_MAX}, not "${text}". ${USAGE}`);
}

/** Accepts an http or https origin as browsers send it: in lower case, without a path and without the default port. */
function parseOrigin(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text) return text;
  throw new UserError(`--origin must be an origin such as http://localhost:5173, not "${text}". ${USAGE}`);
}
