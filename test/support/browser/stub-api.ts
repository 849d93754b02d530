import type { IncomingMessage, ServerResponse } from 'node:http';
import { startPages } from '../../../infra/local/example-page/server.ts';
import { startHttpServer } from '../http-server.ts';

type Received = { path: string; contentType?: string; idempotencyKey?: string; body: Buffer };
type Answer = (response: ServerResponse, received: Received) => void | Promise<void>;

export const HANDLE = { id: '0b0c1f2e-9a51-4f0e-8a34-6d1f7f6d2a10', update_token: 'update-token' };
export const CODE_SENT = { channel: 'email', masked_destination: 'k***@e***.com', available_channels: ['email'] };

/** Successful responses, by the end of the path. */
const EASY: Record<string, Answer> = {
  '/submit': (response) => reply(response, 200, { data: HANDLE }),
  '/analytics': (response, { body }) => reply(response, 200, { received: JSON.parse(`${body}`).events.length }),
  '/e': (response, { body }) => reply(response, 200, { received: JSON.parse(`${body}`).events.length }),
  '/mfa/send': (response) => reply(response, 200, { data: CODE_SENT }),
  '/mfa/check': (response) => reply(response, 200, { data: { verified: true, contact_field: 'email' } }),
};

export function reply(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const refuse = (status: number, code: string, headers?: Record<string, string>) => (response: ServerResponse) =>
  reply(response, status, { error: { code, message: 'A sentence for developers.' } }, headers);

/** Closes the connection without a response. */
export const breakOff = (response: ServerResponse): void => void response.destroy();

/** Replaces the API and the store of large files. Also serves the example pages, on a separate origin. */
export async function startStub() {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const server = await startHttpServer((request, response) => {
    // Closes the connection, because browsers automatically retry a request that fails on a reused connection.
    response.shouldKeepAlive = false;
    allowOrigin(request, response);
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const path = request.url ?? '/';
      const { 'content-type': contentType, 'idempotency-key': key } = request.headers;
      const headers = { ...(contentType && { contentType }), ...(key && { idempotencyKey: `${key}` }) };
      const arrived = { path, ...headers, body: Buffer.concat(chunks) };
      received.push(arrived);
      const answer = findBySuffix(answers, path) ?? findBySuffix(new Map(Object.entries(EASY)), path);
      await (answer ?? refuse(404, 'not_found'))(response, arrived);
    });
  });
  const pages = await startPages(0);
  pages.show(demoAt(server.url));
  return {
    ...server,
    pagesUrl: `http://127.0.0.1:${pages.port}/`,
    received: (suffix: string) => received.filter(({ path }) => path.endsWith(suffix)),
    bodies: (suffix: string) =>
      received.filter(({ path }) => path.endsWith(suffix)).map(({ body }) => JSON.parse(`${body}`)),
    /** Sets the responses for a path: one for each request, and the last response for all later requests. */
    answer(suffix: string, ...given: Answer[]) {
      let count = 0;
      answers.set(suffix, (...exchange) => given[Math.min(count++, given.length - 1)]?.(...exchange));
    },
    reset() {
      received.length = 0;
      answers.clear();
    },
    async close() {
      await pages.close();
      server.close();
    },
  };
}

function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*');
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Access-Control-Allow-Headers', 'content-type, idempotency-key');
  response.setHeader('Access-Control-Expose-Headers', 'Retry-After');
}

const findBySuffix = (answers: ReadonlyMap<string, Answer>, path: string) =>
  [...answers].find(([suffix]) => path.endsWith(suffix))?.[1];

/** A description of the demo in which all addresses point to the stub. */
export const demoAt = (baseUrl: string) => ({
  baseUrl,
  organizations: { a: { id: 'org-id', name: 'Example', timezone: 'UTC' } },
  tokens: { memberA: 'the-token', adminAB: 'the-admin-token' },
  funnel: { id: 'funnel-id', versionId: 'version-id', uploadBlockId: 'block-id' },
  mailbox: `${baseUrl}/mailbox/store`,
  aws: { s3: baseUrl },
});
