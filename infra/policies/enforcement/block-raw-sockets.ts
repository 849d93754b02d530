import { AsyncLocalStorage } from 'node:async_hooks';
import net from 'node:net';
import type { BlockingHooks } from './hooks.ts';

const connectionsAllowed = new AsyncLocalStorage<true>();

/** Runs work that may open connections: a request that was evaluated, or one that no policy covers. */
export const allowConnections = <T>(work: () => T): T => connectionsAllowed.run(true, work);

/** Requests that a function sends over its own connections, with any client, would not be evaluated. */
export function blockRawSockets({ runningFunction, deny }: BlockingHooks): void {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
    const id = runningFunction();
    if (id !== undefined && connectionsAllowed.getStore() === undefined) {
      deny(`The function ${id} opens a raw connection, which is not evaluated by its policy here.`);
    }
    return Reflect.apply(connect, this, args);
  };
}
