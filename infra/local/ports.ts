import { createServer } from 'node:net';
import { errorCode, FriendlyError } from './friendly-error.ts';

const HOST = '127.0.0.1';

/** The wanted port if nobody listens on it, else any free one. */
export async function freePort(wanted: number): Promise<number> {
  const port = wanted <= 65_535 ? await listenOnce(wanted) : undefined;
  return port ?? (await listenOnce(0)) ?? 0;
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, HOST, () => {
      const bound = probe.address();
      probe.close(() => resolve(typeof bound === 'object' ? bound?.port : undefined));
    });
  });
}

/** Says how to mend it when the API's port can not be had. */
export function portFailure(error: unknown, port: number): unknown {
  const advice = `choose another one with "npm start -- --port ${port === 8080 ? 8090 : 8080}"`;
  if (errorCode(error) === 'EADDRINUSE') {
    return new FriendlyError(`Port ${port} is taken by another program: end it, or ${advice}.`, { cause: error });
  }
  if (errorCode(error) === 'EACCES') {
    return new FriendlyError(`Port ${port} needs more rights than this user has: ${advice}.`, { cause: error });
  }
  return error;
}
