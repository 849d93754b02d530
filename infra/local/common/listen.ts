import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rejectForeignHosts } from './loopback-host.ts';

const LOOPBACK = '127.0.0.1';

/** The common part of Node's servers and those of the emulator packages. */
type Listener = Pick<Server, 'listeners' | 'removeAllListeners' | 'on'> & {
  once(event: 'error', listener: (error: Error) => void): unknown;
  listen(port: number, host: string, callback: () => void): unknown;
  address(): unknown;
};

/**
 * Starts listening on a loopback address and rejects requests for other hosts.
 *
 * @param port 0 for any free port
 * @returns the port
 * @throws when the port is not available
 */
export function listenLocally(server: Listener, host = LOOPBACK, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      rejectForeignHosts(server);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
