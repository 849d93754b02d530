import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tryParseJson } from '../../common/parse-json.ts';
import { listenLocally } from '../common/listen.ts';
import {
  isJsonRequest,
  readStandInRequest,
  type StandInRequest,
  type StandInResponse,
  textResponse,
} from '../common/stand-in-http.ts';
import { acmErrorResponse, matchAcmOperation } from './acm-api.ts';
import { cloudFrontErrorResponse, matchCloudFrontOperation } from './cloudfront-api.ts';
import { createFaultList, type FaultEffect, Faults } from './faults.ts';
import { type EdgeState, openEdgeState } from './state.ts';

const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Starts the stand-in for CloudFront's distribution tenants and ACM's certificates. Certificates for `fail.example` and
 * its subdomains fail. For `slow.example` and its subdomains, `stepMs` is multiplied by ten. `PUT /faults` injects
 * faults into the next requests.
 *
 * @param folder folder for the state
 * @param stepMs duration of a CloudFront deployment, and of issuing a certificate
 */
export async function startCloudFront(
  host: string,
  folder: string,
  stepMs: number,
  nowMs: () => number = Date.now,
): Promise<{ port: number; close(): void }> {
  const ports = { state: openEdgeState(folder, stepMs, nowMs), faults: createFaultList() };
  const server = createServer((request, response) => {
    handle(request, response, ports).catch((error: unknown) => {
      console.error('The CloudFront stand-in could not handle a request:', error);
      send(response, cloudFrontErrorResponse(500, 'InternalError', 'The stand-in failed. See emulators.log.'));
    });
  });
  const port = await listenLocally(server, host);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}

type Ports = { state: EdgeState; faults: ReturnType<typeof createFaultList> };

async function handle(incoming: IncomingMessage, response: ServerResponse, { state, faults }: Ports): Promise<void> {
  const request = await readStandInRequest(incoming, BODY_BYTES_MAX);
  if (request === undefined) {
    return send(response, cloudFrontErrorResponse(413, 'RequestTooLarge', 'The body is larger than 1 MB.'));
  }
  if (request.path === '/faults') return send(response, setFaults(request, faults));
  const acmOperation = matchAcmOperation(request);
  const operation = acmOperation ?? matchCloudFrontOperation(request);
  if (operation === undefined) {
    return send(response, cloudFrontErrorResponse(404, 'InvalidAction', 'The stand-in has no such operation.'));
  }
  const errorResponse = acmOperation ? acmErrorResponse : cloudFrontErrorResponse;
  // This check also rejects requests of web pages. To send an Authorization header, a web page needs a preflight, and
  // this server rejects preflights.
  const isSigned = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ') === true;
  if (!isSigned) return send(response, errorResponse(403, 'MissingAuthenticationToken', 'The request is not signed.'));
  const effect = faults.next(operation.name);
  if (effect === undefined) return send(response, operation.run(state));
  applyFault(response, effect, { run: () => operation.run(state), errorResponse });
}

function setFaults(request: StandInRequest, faults: Ports['faults']): StandInResponse {
  const { data } = Faults.safeParse(tryParseJson(request.body));
  if (request.method !== 'PUT' || !isJsonRequest(request) || data === undefined) {
    return textResponse(400, 'PUT a list of faults as application/json.');
  }
  faults.set(data);
  return { status: 204, headers: {}, body: '' };
}

type FaultyOperation = {
  run(): StandInResponse;
  errorResponse(status: number, code: string, message: string): StandInResponse;
};

function applyFault(response: ServerResponse, effect: FaultEffect, { run, errorResponse }: FaultyOperation): void {
  if (effect.kind === 'error') {
    send(response, errorResponse(effect.status, effect.code, 'Injected fault.'));
  } else if (effect.kind === 'response') {
    send(response, { status: effect.status, headers: { 'Content-Type': 'text/xml' }, body: effect.body });
  } else if (effect.kind === 'lost') {
    run();
    response.destroy();
  } else if (effect.kind === 'endless') {
    response.writeHead(200, { 'Content-Type': 'text/xml' });
    response.write('<');
  }
  // For the effect `stalled`, send no response.
}

function send(response: ServerResponse, { status, headers, body }: StandInResponse): void {
  response.writeHead(status, headers);
  response.end(body);
}
