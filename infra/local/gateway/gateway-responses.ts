import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { GATEWAY_HEADERS, type GatewayResponse } from '../../stacks/api/gateway-responses.ts';

/**
 * Creates an id like API Gateway's extended request ids, for example `JKJaXmPLvHcESHA=`. Callers cannot choose it.
 * `randomUUID` takes random bytes from a cache of Node, while `randomBytes` would call the system for each request.
 */
export const createExtendedRequestId = (): string =>
  Buffer.from(randomUUID().replaceAll('-', '').slice(10), 'hex').toString('base64');

/** Builds status, headers and body of a response that the gateway itself sends. */
export function buildGatewayResponse(given: GatewayResponse, requestId: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ error: { code: given.code, message: given.message } });
  return {
    status: given.status,
    headers: {
      ...GATEWAY_HEADERS,
      'x-request-id': requestId,
      'Content-Length': String(Buffer.byteLength(body)),
      ...given.headers,
      ...headers,
    },
    body,
  };
}

/** Sends a gateway response. Does nothing if a response has started or the client has disconnected. */
export function sendGatewayResponse(
  response: ServerResponse,
  given: GatewayResponse,
  requestId: string,
  headers?: Record<string, string>,
): void {
  if (response.headersSent || response.destroyed) return;
  const built = buildGatewayResponse(given, requestId, headers);
  response.writeHead(built.status, built.headers).end(built.body);
}
