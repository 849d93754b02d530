import { AsyncLocalStorage } from 'node:async_hooks';
import net from 'node:net';
import type { BlockingHooks } from './hooks.ts';

const connectionsAllowed = new AsyncLocalStorage<true>();

/**
 * Runs `work` and lets it open connections. The caller must ensure that each request of `work` was evaluated, or that
 * no policy covers the request.
 */
export const allowConnections = <T>(work: () => T): T => connectionsAllowed.run(true, work);

/**
 * Makes a function fail if it opens a connection outside of `allowConnections`, because requests over that connection
 * would not be evaluated.
 */
export function blockRawSockets({ runningFunction, deny }: BlockingHooks): void {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
    const id = runningFunction();
    if (id !== undefined && connectionsAllowed.getStore() === undefined) {
      deny(`The function ${id} opens a raw connection. Policies are enforced only for node:http(s) and fetch.`);
    }
    return Reflect.apply(connect, this, args);
  };
}
