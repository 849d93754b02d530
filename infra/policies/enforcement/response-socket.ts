import { Duplex } from 'node:stream';
import type { AccessDeniedResponse } from './access-denied-response.ts';

/** A connection to nowhere, on which one request is refused. */
export function createResponseSocket({ status, headers, body }: AccessDeniedResponse): Duplex {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = [`HTTP/1.1 ${status} Refused`, ...lines.map(([name, value]) => `${name}: ${value}`), '', body];
  const socket = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => done(),
  });
  // Clients set them on any connection.
  const chain = () => socket;
  Object.assign(socket, { setTimeout: chain, setKeepAlive: chain, setNoDelay: chain, ref: chain, unref: chain });
  setImmediate(() => {
    socket.push(head.join('\r\n'));
    socket.push(null);
  });
  return socket;
}
