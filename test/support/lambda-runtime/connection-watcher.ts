import net from 'node:net';
import type { Connection } from './bare-messages.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/;

/** A port of this machine without a listener. */
const CLOSED_PORT = 1;

/**
 * Reports each connection attempt, and refuses connections to other machines, as if there were no network.
 *
 * @param elsewhere redirects connections: the keys are addresses, the values are local ports
 */
export function watchConnections(report: (connection: Connection) => void, elsewhere: Record<string, number>): void {
  const connect = net.Socket.prototype.connect;
  const watched = function (this: net.Socket, ...given: unknown[]) {
    const first = Array.isArray(given[0]) ? given[0][0] : given[0];
    const target: { host?: string; port?: number } =
      typeof first === 'object' ? first : { port: Number(first), host: String(given[1] ?? 'localhost') };
    const to = `${target.host ?? 'localhost'}:${target.port}`;
    const stead = elsewhere[to];
    const refused = stead === undefined && !LOOPBACK.test(target.host ?? 'localhost');
    report({ to, refused });
    const port = refused ? CLOSED_PORT : stead;
    if (port !== undefined && typeof first === 'object') Object.assign(first, { host: '127.0.0.1', port });
    else if (refused) given.splice(0, 2, CLOSED_PORT, '127.0.0.1');
    return Reflect.apply(connect, this, given);
  };
  net.Socket.prototype.connect = watched as typeof connect;
}
