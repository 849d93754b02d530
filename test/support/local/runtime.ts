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
  /** The process id of npm, the parent of all processes. */
  pid: number;
  /** The folder with the runtime's state. */
  state: string;
  /** Everything printed so far. */
  output(): string;
  /** Stops it like Ctrl-C. @returns the exit code; null if it had to be killed */
  stop(): Promise<number | null>;
  /** kill -9 of the whole process group. */
  kill(): Promise<void>;
};

type Options = {
  /** Arguments of `npm start`, for example `--empty`. */
  args?: readonly string[];
  /** An existing state folder. By default, a new one that is removed at the end. */
  state?: string;
  env?: Record<string, string>;
};

/**
 * Runs `npm start` on free ports with its own state folder, and waits until it is ready.
 *
 * @throws Error with the output if it exits or is not ready in time
 */
export async function startLocalRuntime(options: Options = {}): Promise<LocalRuntime> {
  const state = options.state ?? (await mkdtemp(join(tmpdir(), 'tributary-')));
  const port = await freePort();
  const args = ['start', '--', '--port', `${port}`, '--state', state, ...(options.args ?? [])];
  const env = { ...process.env, ...options.env };
  const child = spawn('npm', args, { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
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
  throw new Error(over ? 'It ended.' : 'It was not ready in time.');
}

/** Also reaches what npm started; a group that has ended already is fine. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
