import { writeSync } from 'node:fs';
import net from 'node:net';

/** A message of a bare process to its parent: one line on a separate pipe. */
export type WatcherMessage =
  | { what: 'connection'; to: string; phase: 'init' | 'invocation'; refused: boolean }
  | { what: 'ready'; initMs: number };

const PIPE = 3;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/;

/** A port of this machine without a listener. */
const CLOSED_PORT = 1;

export const report = (message: WatcherMessage): void => void writeSync(PIPE, `${JSON.stringify(message)}\n`);

type Options = { phase: () => 'init' | 'invocation'; runtimeApi: string; elsewhere: Record<string, number> };

/**
 * Reports every connection except those to the Runtime API, and refuses connections to other machines, as if there
 * were no network.
 *
 * @param options.elsewhere ports that replace other addresses, for example `localhost:2773`
 */
export function watchConnections({ phase, runtimeApi, elsewhere }: Options): void {
  const connect = net.Socket.prototype.connect;
  const watched = function (this: net.Socket, ...given: unknown[]) {
    const first = Array.isArray(given[0]) ? given[0][0] : given[0];
    const target: { host?: string; port?: number } =
      typeof first === 'object' ? first : { port: Number(first), host: String(given[1] ?? 'localhost') };
    const to = `${target.host ?? 'localhost'}:${target.port}`;
    if (to === runtimeApi) return Reflect.apply(connect, this, given);
    const stead = elsewhere[to];
    const refused = stead === undefined && !LOOPBACK.test(target.host ?? 'localhost');
    report({ what: 'connection', to, phase: phase(), refused });
    const port = refused ? CLOSED_PORT : stead;
    if (port !== undefined && typeof first === 'object') Object.assign(first, { host: '127.0.0.1', port });
    else if (refused) given.splice(0, 2, CLOSED_PORT, '127.0.0.1');
    return Reflect.apply(connect, this, given);
  };
  net.Socket.prototype.connect = watched as typeof connect;
}
