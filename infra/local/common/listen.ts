import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rejectForeignHosts } from './loopback-host.ts';

const LOOPBACK = '127.0.0.1';

/** The members that Node's servers and the servers of the emulator packages have in common. */
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
 * @throws the error of Node if the port cannot be used
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
