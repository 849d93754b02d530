import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tryParseJson } from '../../common/parse-json.ts';
import { listenLocally } from '../common/listen.ts';
import { readBodyText } from '../common/request-body.ts';
import type { StandInRequest, StandInResponse } from '../common/stand-in-http.ts';
import { acmErrorResponse, matchAcmOperation } from './acm-api.ts';
import { cloudFrontErrorResponse, matchCloudFrontOperation } from './cloudfront-api.ts';
import { createFaultList, type FaultEffect, Faults } from './faults.ts';
import { type EdgeState, openEdgeState } from './state.ts';

const BODY_BYTES_MAX = 1024 * 1024;

/**
 * The embedded edge: CloudFront's distribution tenants and ACM's certificates, as far as the service uses them. A
 * hostname is served once its certificate has been issued and put to use; `fail.example` and what is below it never
 * gets one, below `slow.example` all takes ten times as long. `PUT /faults` lets the next calls fail.
 *
 * @param folder its state is kept here
 * @param stepMs how long a deployment, and the issue of a certificate, take
 * @returns its port, and how to end it
 */
export async function startCloudFront(
  host: string,
  folder: string,
  stepMs: number,
  nowMs: () => number = Date.now,
): Promise<{ port: number; close(): void }> {
  const world = openEdgeState(folder, stepMs, nowMs);
  const faults = createFaultList();
  const server = createServer((request, response) => {
    answerTo(request, response, { world, faults }).catch((failure: unknown) => {
      console.error(failure);
      write(response, cloudFrontErrorResponse(500, 'InternalError', 'The edge has failed: see emulators.log.'));
    });
  });
  const port = await listenLocally(server, host);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}

type Parts = { world: EdgeState; faults: ReturnType<typeof createFaultList> };

async function answerTo(request: IncomingMessage, response: ServerResponse, { world, faults }: Parts): Promise<void> {
  const body = await readBodyText(request, BODY_BYTES_MAX);
  if (body === undefined)
    return write(response, cloudFrontErrorResponse(413, 'RequestTooLarge', 'The body is larger than 1 MB.'));
  const { method = 'GET', url = '/', headers } = request;
  const asked: StandInRequest = { method, url, path: url.split('?')[0] ?? '/', headers, body };
  if (asked.path === '/faults') return write(response, faultsGiven(asked, faults));
  const acm = matchAcmOperation(asked);
  const operation = acm ?? matchCloudFrontOperation(asked);
  if (operation === undefined)
    return write(response, cloudFrontErrorResponse(404, 'InvalidAction', 'There is no such call here.'));
  const isSigned = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ') === true;
  const refusal = acm ? acmErrorResponse : cloudFrontErrorResponse;
  // Also keeps out pages of the web, which can't send this header without asking first.
  if (!isSigned) return write(response, refusal(403, 'MissingAuthenticationToken', 'The request is not signed.'));
  const effect = faults.next(operation.name);
  if (effect === undefined) return write(response, operation.run(world));
  spoil(response, effect, { run: () => operation.run(world), refusal });
}

/** A page somewhere on the web can send no JSON here without asking first, and nobody says yes. */
function faultsGiven({ method, headers, body }: StandInRequest, faults: Parts['faults']): StandInResponse {
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  const { data } = Faults.safeParse(tryParseJson(body));
  if (method !== 'PUT' || !isJson || data === undefined) {
    return { status: 400, headers: { 'Content-Type': 'text/plain' }, body: 'Send a list of faults as JSON.' };
  }
  faults.set(data);
  return { status: 204, headers: {}, body: '' };
}

type Call = { run(): StandInResponse; refusal(status: number, code: string, message: string): StandInResponse };

function spoil(response: ServerResponse, effect: FaultEffect, { run, refusal }: Call): void {
  if (effect.kind === 'error') {
    write(response, refusal(effect.status, effect.code, 'As was asked for.'));
  } else if (effect.kind === 'answer') {
    write(response, { status: effect.status, headers: { 'Content-Type': 'text/xml' }, body: effect.body });
  } else if (effect.kind === 'lost') {
    run();
    response.destroy();
  } else if (effect.kind === 'endless') {
    response.writeHead(200, { 'Content-Type': 'text/xml' });
    response.write('<');
  }
}

function write(response: ServerResponse, { status, headers, body }: StandInResponse): void {
  response.writeHead(status, headers);
  response.end(body);
}
