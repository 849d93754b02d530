import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether a request names this machine as its host. A web page whose hostname suddenly resolves to 127.0.0.1 (DNS rebinding)
 * has the same origin as the local server then, and could read everything: but the browser still sends that hostname. No
 * browser leaves the header out.
 */
export function isLoopbackHost({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  if (headers.host === undefined) return true;
  // Any port: a front end's own dev server passes requests on with its port in the header.
  const name = headers.host.toLowerCase().replace(/:\d+$/, '');
  return LOOPBACK_NAMES.includes(name) || name === socket.localAddress;
}

/** The response to a request for another host. */
export const MISDIRECTED_REQUEST = {
  status: 421,
  message: 'This server answers only as 127.0.0.1 or localhost in the Host header.',
} as const;

/** Lets a server answer requests for this machine alone, and all others with 421. */
export function rejectForeignHosts(server: Pick<Server, 'listeners' | 'removeAllListeners' | 'on'>): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!isLoopbackHost(request)) return refuse(response);
    for (const listener of listeners) listener.call(server, request, response as Parameters<RequestListener>[1]);
  });
}

function refuse(response: ServerResponse): void {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  // What of the request was not read must not be taken for the next one.
  response
    .writeHead(MISDIRECTED_REQUEST.status, { ...headers, Connection: 'close' })
    .end(`${MISDIRECTED_REQUEST.message}\n`);
}
