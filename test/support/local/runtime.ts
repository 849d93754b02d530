import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Demo } from '../../../infra/local/seed/demo-json.ts';
import { freePort } from '../free-port.ts';

const ROOT = join(import.meta.dirname, '../../..');
const READY_WITHIN_MS = 90_000;

export type LocalRuntime = {
  demo: Demo;
  /** The process id of npm, which is the ancestor of all processes of the runtime. */
  pid: number;
  state: string;
  output(): string;
  /** Stops the runtime like Ctrl-C. @returns the exit code; null if the process group had to be killed */
  stop(): Promise<number | null>;
  /** Kills the whole process group with `kill -9`. */
  kill(): Promise<void>;
};

type Options = {
  /** Arguments of `npm start`, for example `--empty`. */
  args?: readonly string[];
  /** An existing state folder. By default, a new folder, which is removed at the end. */
  state?: string;
  /** Variables to set, or to remove with undefined. */
  env?: Record<string, string | undefined>;
  /** Default: start. */
  script?: 'start' | 'dev';
  /** Default: this checkout. */
  root?: string;
};

/**
 * Runs `npm start` or `npm run dev` on free ports with its own state folder, and waits until it is ready.
 *
 * @throws Error with the output if the runtime exits or is not ready in time
 */
export async function startLocalRuntime(options: Options = {}): Promise<LocalRuntime> {
  const state = options.state ?? (await mkdtemp(join(tmpdir(), 'tributary-')));
  const port = await freePort();
  const args = ['run', options.script ?? 'start', '--', '--port', `${port}`, '--state', state, ...(options.args ?? [])];
  const env = { ...process.env, ...options.env };
  const child = spawn('npm', args, {
    cwd: options.root ?? ROOT,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Kill the group if this process exits without stopping the runtime.
  const leaveNothing = () => signalGroup(child, 'SIGKILL');
  process.once('exit', leaveNothing);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (printed += bytes));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const cleanUp = () => (options.state === undefined ? rm(state, { recursive: true, force: true }) : undefined);
  const end = async (signal: NodeJS.Signals) => {
    signalGroup(child, signal);
    const code = await Promise.race([ended, sleep(10_000, null)]);
    if (code === null) signalGroup(child, 'SIGKILL');
    await ended;
    process.off('exit', leaveNothing);
    await cleanUp();
    return code;
  };
  try {
    const demo = await ready(`http://127.0.0.1:${port}`, join(state, 'demo.json'), ended);
    return {
      demo,
      pid: child.pid ?? 0,
      state,
      output: () => printed,
      stop: () => end('SIGINT'),
      kill: async () => void (await end('SIGKILL')),
    };
  } catch (error) {
    await end('SIGKILL');
    throw new Error(`The local runtime did not start:\n${printed}`, { cause: error });
  }
}

async function ready(baseUrl: string, demoFile: string, ended: Promise<unknown>): Promise<Demo> {
  const deadline = Date.now() + READY_WITHIN_MS;
  let over = false;
  ended.then(() => (over = true));
  while (!over && Date.now() < deadline) {
    const answer = await fetch(`${baseUrl}/api/v2/openapi.json`).catch(() => undefined);
    if (answer?.ok) return JSON.parse(await readFile(demoFile, 'utf8'));
    await sleep(100);
  }
  throw new Error(over ? 'The local runtime ended.' : 'The local runtime was not ready in time.');
}

/** Sends a signal to npm and the processes that it started. Does nothing if all of them have ended. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
