import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rejectForeignHosts } from './loopback-host.ts';

const LOOPBACK = '127.0.0.1';

/** Servers of packages have no more in common than this with those of Node. */
type Listener = Pick<Server, 'listeners' | 'removeAllListeners' | 'on'> & {
  once(event: 'error', told: (error: Error) => void): unknown;
  listen(port: number, host: string, told: () => void): unknown;
  address(): unknown;
};

/** Lets a server listen, for requests to this machine alone. @param port 0 for any free one @returns its port @throws when it can't be had */
export function listenLocally(server: Listener, host = LOOPBACK, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      rejectForeignHosts(server);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
