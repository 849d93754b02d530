import { AsyncLocalStorage } from 'node:async_hooks';
import net from 'node:net';
import type { BlockingHooks } from './hooks.ts';

const judged = new AsyncLocalStorage<true>();

/** Opens the connections of a request that was judged, or that no policy speaks of. */
export const allowConnections = <T>(work: () => T): T => judged.run(true, work);

/** What a function would say over a connection of its own, by whatever client, would be judged by nobody. */
export function blockRawSockets({ runningFunction: running, deny: refuse }: BlockingHooks): void {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...given: unknown[]): net.Socket {
    const id = running();
    if (id !== undefined && judged.getStore() === undefined) {
      refuse(`The function ${id} opens a connection past all that is judged by its policy here.`);
    }
    return Reflect.apply(connect, this, given);
  };
}
