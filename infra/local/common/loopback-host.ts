import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether the Host header names this machine or is missing. Protects against DNS rebinding: an attacker makes the
 * hostname of a web page resolve to 127.0.0.1, so that the page has the same origin as the local server. The browser
 * still sends the hostname of the page in the Host header, and never omits this header.
 */
export function isLoopbackHost({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  if (headers.host === undefined) return true;
  // Accept any port, because a front end's dev server forwards requests with its own port in the header.
  const name = headers.host.toLowerCase().replace(/:\d+$/, '');
  return LOOPBACK_NAMES.includes(name) || name === socket.localAddress;
}

/** The response to a request for another host. */
export const MISDIRECTED_REQUEST = {
  status: 421,
  message: 'Use 127.0.0.1 or localhost as the host of this server.',
} as const;

/** Makes a server respond 421 to requests for other hosts. */
export function rejectForeignHosts(server: Pick<Server, 'listeners' | 'removeAllListeners' | 'on'>): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!isLoopbackHost(request)) return respondMisdirected(response);
    for (const listener of listeners) listener.call(server, request, response as Parameters<RequestListener>[1]);
  });
}

function respondMisdirected(response: ServerResponse): void {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  // Close the connection, because the unread rest of the request must not be parsed as the next request.
  response
    .writeHead(MISDIRECTED_REQUEST.status, { ...headers, Connection: 'close' })
    .end(`${MISDIRECTED_REQUEST.message}\n`);
}
