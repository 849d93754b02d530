import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';

/** A request to a stand-in, with its whole body. */
export type StandInRequest = {
  method: string;
  /** Path and query. */
  url: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
};

export type StandInResponse = { status: number; headers: Record<string, string>; body: string | Buffer };

/** Reads a request to its end. Returns undefined if the body is larger than `bodyBytesMax`. */
export async function readStandInRequest(
  request: IncomingMessage,
  bodyBytesMax: number,
): Promise<StandInRequest | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= bodyBytesMax) chunks.push(chunk);
  }
  if (bytes > bodyBytesMax) return undefined;
  const { method = 'GET', url = '/', headers } = request;
  return { method, url, path: url.split('?')[0] ?? '/', headers, body: Buffer.concat(chunks).toString() };
}

/**
 * Whether the body is declared as JSON. Endpoints without authentication accept only JSON. To send JSON, a web page of
 * another origin needs a preflight, and these servers reject preflights.
 */
export const isJsonRequest = ({ headers }: StandInRequest): boolean =>
  headers['content-type']?.startsWith('application/json') === true;

export const jsonResponse = (
  status: number,
  body: object,
  type = 'application/json; charset=utf-8',
): StandInResponse => ({ status, headers: { 'Content-Type': type }, body: JSON.stringify(body) });

export const textResponse = (status: number, body: string): StandInResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body,
});

/**
 * Creates a server that sends the responses of `handle`. If `handle` throws, the error is logged and `failure` is sent.
 */
export function createStandInServer(
  handle: (request: IncomingMessage) => Promise<StandInResponse>,
  failure: StandInResponse,
): Server {
  return createServer((request, response) => {
    const send = ({ status, headers, body }: StandInResponse) =>
      response.writeHead(status, { 'X-Content-Type-Options': 'nosniff', ...headers }).end(body);
    handle(request).then(send, (error: unknown) => {
      console.error(error);
      send(failure);
    });
  });
}
