import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { type LocalRuntime, startLocalRuntime } from './runtime.ts';

// Starting and seeding `npm start --empty` takes longer than most tests that need it. Test files that do not disturb
// each other therefore borrow a running service, one file at a time. Vitest's main process starts a service when a file
// needs one. A worker cannot start it, because the worker would end before other files can use the service.

export const POOL_URL = 'TRIBUTARY_RUNTIME_POOL';
/** How long an unused service keeps running. A longer time would cost more processor time than another start. */
const IDLE_MS = 20_000;

export type Loan = { id: number; demo: LocalRuntime['demo']; state: string };
type Return = { id: number; isChanged: boolean };

/** Global setup: lends services to the workers, and stops all services at the end. */
export default async function setup({ config }: TestProject): Promise<() => Promise<void>> {
  const loans = new Map<number, LocalRuntime>();
  const idle = new Map<LocalRuntime, NodeJS.Timeout>();
  const stopping = new Set<Promise<unknown>>();
  let count = 0;
  const stop = (runtime: LocalRuntime) => {
    const ended = runtime.stop().finally(() => stopping.delete(ended));
    stopping.add(ended);
  };
  const takeIdle = (): LocalRuntime | undefined => {
    const [runtime] = idle.keys();
    if (runtime === undefined) return undefined;
    clearTimeout(idle.get(runtime));
    idle.delete(runtime);
    return runtime;
  };
  const lend = async (isNew: boolean): Promise<Loan> => {
    const runtime =
      (isNew ? undefined : takeIdle()) ?? (await startLocalRuntime({ args: ['--empty'], env: config.env }));
    const id = count++;
    loans.set(id, runtime);
    return { id, demo: runtime.demo, state: runtime.state };
  };
  const takeBack = ({ id, isChanged }: Return): void => {
    const runtime = loans.get(id);
    if (runtime === undefined) throw new Error(`There is no loan ${id}.`);
    loans.delete(id);
    if (isChanged) {
      stop(runtime);
      return;
    }
    const expire = () => {
      idle.delete(runtime);
      stop(runtime);
    };
    idle.set(runtime, setTimeout(expire, IDLE_MS));
  };
  const routes: Record<string, (body: never) => unknown> = {
    '/lend': ({ isNew }: { isNew: boolean }) => lend(isNew),
    '/take-back': takeBack,
    '/output': ({ id }: { id: number }) => loans.get(id)?.output(),
  };
  const server = createServer(async (request, response) => {
    try {
      const reply = await routes[request.url ?? '']?.((await json(request)) as never);
      response.end(JSON.stringify(reply ?? null));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[POOL_URL] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    delete process.env[POOL_URL];
    server.close();
    for (const timer of idle.values()) clearTimeout(timer);
    for (const runtime of [...loans.values(), ...idle.keys()]) stop(runtime);
    await Promise.all(stopping);
  };
}
