import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UserError } from '../friendly-error.ts';

export type StartOptions = {
  /** Forget everything and begin afresh. */
  reset: boolean;
  /** Seed no sessions. */
  empty: boolean;
  port: number;
  /** Where all state lives. */
  state: string;
  rateLimits: boolean;
  /** Of the pages that may call organization routes; without any, every page of this machine may. */
  origins: string[];
};

export const ROOT = join(import.meta.dirname, '../../..');

/** The pages listen on the next one. */
const PORT_MAX = 65_534;

const USAGE =
  'Options: --reset (begin afresh), --empty (seed no sessions), --port N (default 3000), --origin URL, --state FOLDER.';

export const HELP = `Usage: npm start -- [options]

Starts Tributary on this machine, with a demo in it, until Ctrl-C. It keeps its
state, and begins where it ended.

Options:
  --reset         forgets everything and begins afresh
  --empty         a demo without recorded sessions
  --port <n>      where the API listens (default: 3000); the pages are one above
  --origin <url>  a page's origin that may call organization routes, repeatable
                  (default: any page of this machine)
  --state <path>  the folder of its state (default: .local)
  --help          shows this

LOCAL_RATE_LIMITS=off in the environment lifts the rate limits, for load tests.
The operator's commands are another one: npm run admin.`;

/** Whether the command line asks what there is, whatever else it says. */
export const isHelpRequested = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');

/**
 * Reads the command line of `npm start`.
 *
 * @throws FriendlyError for an option or value that does not exist
 */
export function parseStartOptions(args: readonly string[], env: NodeJS.ProcessEnv): StartOptions {
  const given = parsed(args);
  return {
    reset: given.reset ?? false,
    empty: given.empty ?? false,
    port: portOf(given.port ?? '3000'),
    state: resolve(given.state ?? join(ROOT, '.local')),
    origins: (given.origin ?? []).map(originOf),
    rateLimits: env.LOCAL_RATE_LIMITS !== 'off',
  };
}

function parsed(args: readonly string[]) {
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
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : 'The options can not be read';
    throw new UserError(`${reason}. ${USAGE}`, { cause: error });
  }
}

function portOf(given: string): number {
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port >= 1 && port <= PORT_MAX) return port;
  throw new UserError(`--port takes a number from 1 to ${PORT_MAX}, not "${given}". ${USAGE}`);
}

/** Only what a browser sends as `Origin`: nothing behind the host, lower case, no default port. */
function originOf(given: string): string {
  if (/^https?:/.test(given) && URL.canParse(given) && new URL(given).origin === given) return given;
  throw new UserError(`--origin takes an origin such as http://localhost:5173, not "${given}". ${USAGE}`);
}
