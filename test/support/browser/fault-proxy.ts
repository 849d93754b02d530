import { type IncomingHttpHeaders, type ServerResponse, request as sendRequest } from 'node:http';
import { startHttpServer } from '../http-server.ts';

/** What happens to a request. With `lose-response`, the API processes the request, but the response does not arrive. */
export type Fault = 'none' | 'refuse' | 'unavailable' | 'lose-response';

export type ProxiedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The status of the API's response. Undefined if the API did not get the request or did not respond. */
  status?: number;
};

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

/**
 * Starts a proxy in front of the API. The proxy records all requests.
 *
 * @param userAgent the user agent of all forwarded requests, because the service does not count headless browsers
 * @param faultOf returns the fault of a request
 */
export async function startFaultProxy(apiUrl: string, userAgent: string, faultOf: (request: ProxiedRequest) => Fault) {
  const requests: ProxiedRequest[] = [];
  const server = await startHttpServer((incoming, response) => {
    // Closes the connection, because browsers automatically retry a request that fails on a reused connection.
    response.shouldKeepAlive = false;
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      const { method = 'GET', url = '/', headers } = incoming;
      const proxied: ProxiedRequest = { method, path: url, headers, body: `${Buffer.concat(chunks)}` };
      requests.push(proxied);
      const fault = faultOf(proxied);
      if (fault === 'refuse') response.destroy();
      else if (fault === 'unavailable') respondUnavailable(response, headers);
      else forward(proxied, response, fault === 'lose-response');
    });
  });

  function forward(proxied: ProxiedRequest, response: ServerResponse, losesResponse: boolean): void {
    const { method, path, body } = proxied;
    const headers = { ...proxied.headers, 'user-agent': userAgent };
    const forwarded = sendRequest(new URL(path, apiUrl), { method, headers, agent: false }, (reply) => {
      proxied.status = reply.statusCode ?? 502;
      if (losesResponse) {
        reply.resume();
        response.destroy();
        return;
      }
      response.writeHead(proxied.status, { ...reply.headers, connection: 'close' });
      reply.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    forwarded.end(body);
  }

  return { ...server, requests };
}

function respondUnavailable(response: ServerResponse, { origin }: IncomingHttpHeaders): void {
  const headers = {
    'Access-Control-Allow-Origin': origin ?? '*',
    'Access-Control-Allow-Headers': 'content-type, idempotency-key',
    'Access-Control-Expose-Headers': 'Retry-After',
    'Content-Type': 'application/json',
    'Retry-After': '1',
  };
  const body = { error: { code: 'service_unavailable', message: 'The service is not available. Try again later.' } };
  response.writeHead(503, headers).end(JSON.stringify(body));
}
