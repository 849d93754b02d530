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
  /**
   * Origins of pages that may call organization routes, in addition to the demo's pages. If empty, every page of this
   * machine may call them.
   */
  origins: string[];
  /** Origins that webhook endpoints may have, in addition to public origins and the webhook receiver's origin. */
  webhookOrigins: string[];
};

export type DevOptions = StartOptions & {
  /** Port for a debugger; undefined without a debugger. */
  inspectPort?: number;
  /** If true, the command starts no service. It writes the demo data of a running service again. */
  reseed: boolean;
};

export const ROOT = join(import.meta.dirname, '../../..');
/** Default folder for the state of `npm start` and `npm run dev`. */
export const DEFAULT_STATE = join(ROOT, '.local');

/** Two less than the highest port, because the pages and the webhook receiver use the next two ports. */
const PORT_MAX = 65_533;

const USAGE =
  'Options: --reset (delete the state first), --empty (seed no sessions), --port N (default 3000), --origin URL, ' +
  '--webhook-origin URL, --state FOLDER.';

const SEE_DEV_HELP = 'See "npm run dev -- --help".';

export const HELP = `Usage: npm start -- [options]

Starts Tributary with demo data on this machine. Press Ctrl-C to stop it. The
state stays, and the next start continues with it.

Options:
  --reset         delete the state first
  --empty         seed the demo without sessions
  --port <n>      port of the API (default: 3000); the pages and the webhook
                  receiver use the next two ports
  --origin <url>  origin of a page that may call organization routes, repeatable
                  (default: any page of this machine)
  --webhook-origin <url>
                  origin of your own webhook receiver on this machine,
                  such as http://127.0.0.1:4000, repeatable
  --state <path>  folder for the state (default: .local)
  --help          show this help

Set LOCAL_RATE_LIMITS=off to disable rate limits for load tests.
For the operator's commands, run: npm run admin.`;

export const DEV_HELP = `Usage: npm run dev -- [options]

Starts Tributary as npm start does, and applies each saved change of a function
within a second. Addresses, tokens and data stay. Code that cannot be built is
reported with its line, and the earlier code stays in use.

Options of npm start: --reset, --empty, --port, --origin, --webhook-origin,
--state
Options:
  --inspect           let a debugger attach, and disable timeouts
  --inspect-port <n>  port for the debugger (default: 9229)
  --reseed            write the demo data again, with your changes of
                      infra/local/seed, while npm run dev is running
  --help              show this help`;

/** Whether the command line contains a help option. Other options can be invalid. */
export const isHelpRequested = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');

const START_OPTIONS = {
  reset: { type: 'boolean' },
  empty: { type: 'boolean' },
  port: { type: 'string' },
  origin: { type: 'string', multiple: true },
  'webhook-origin': { type: 'string', multiple: true },
  state: { type: 'string' },
} as const;

const DEV_OPTIONS = {
  ...START_OPTIONS,
  inspect: { type: 'boolean' },
  'inspect-port': { type: 'string' },
  reseed: { type: 'boolean' },
} as const;

/**
 * Parses the command line of `npm start`.
 *
 * @throws UserError for an unknown option or an invalid value
 */
export function parseStartOptions(args: readonly string[], env: NodeJS.ProcessEnv): StartOptions {
  const values = orUsageError(USAGE, () => parseArgs({ args: [...args], options: START_OPTIONS }).values);
  return toStartOptions(values, env);
}

/**
 * Parses the command line of `npm run dev`.
 *
 * @throws UserError for an unknown option or an invalid value
 */
export function parseDevOptions(args: readonly string[], env: NodeJS.ProcessEnv): DevOptions {
  const values = orUsageError(SEE_DEV_HELP, () => parseArgs({ args: [...args], options: DEV_OPTIONS }).values);
  const inspectPort = parsePort('--inspect-port', values['inspect-port'] ?? '9229', SEE_DEV_HELP);
  return {
    ...toStartOptions(values, env),
    reseed: values.reseed ?? false,
    ...(values.inspect ? { inspectPort } : {}),
  };
}

type StartValues = {
  reset?: boolean;
  empty?: boolean;
  port?: string;
  origin?: string[];
  'webhook-origin'?: string[];
  state?: string;
};

const toStartOptions = (values: StartValues, env: NodeJS.ProcessEnv): StartOptions => ({
  reset: values.reset ?? false,
  empty: values.empty ?? false,
  port: parsePort('--port', values.port ?? '3000'),
  state: resolve(values.state ?? DEFAULT_STATE),
  origins: (values.origin ?? []).map((text) => parseOrigin('--origin', text)),
  webhookOrigins: (values['webhook-origin'] ?? []).map((text) => parseOrigin('--webhook-origin', text)),
  rateLimits: env.LOCAL_RATE_LIMITS !== 'off',
});

/** @throws UserError with the first sentence of the error, and with the usage */
function orUsageError<T>(usage: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : 'The options cannot be parsed';
    throw new UserError(`${reason}. ${usage}`, { cause: error });
  }
}

function parsePort(option: string, text: string, usage = USAGE): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= PORT_MAX) return port;
  throw new UserError(`${option} must be a number from 1 to ${PORT_MAX}, not "${text}". ${usage}`);
}

/** Accepts an http or https origin as browsers send it: in lower case, without a path and without the default port. */
function parseOrigin(option: string, text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text) return text;
  throw new UserError(`${option} must be an origin such as http://localhost:5173, not "${text}". ${USAGE}`);
}
