import { createServer, type RequestListener } from 'node:http';
import { listenLocally } from '../../infra/local/common/listen.ts';

/** Serves HTTP on any free port of the loopback address. `close` also ends open connections. */
export async function startHttpServer(listener: RequestListener) {
  const server = createServer(listener);
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
