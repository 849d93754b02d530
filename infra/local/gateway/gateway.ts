import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { GATEWAY_ANSWERS, GATEWAY_LIMITS, type GatewayAnswer } from '../../api/gateway-answers.ts';
import { isLoopbackHost, MISDIRECTED_REQUEST } from '../common/loopback-host.ts';
import type { ReportError, WriteAccessLog } from '../common/output.ts';
import { errorCode } from '../friendly-error.ts';
import { type AccessLogEntry, formatAccessLogLine } from './access-log.ts';
import { buildGatewayResponse, extendedRequestId, sendGatewayResponse } from './gateway-responses.ts';
import { collectGarbageWhenIdle } from './idle-garbage-collection.ts';
import { createRequestListener, type GatewayConfig } from './request-listener.ts';

export type Gateway = {
  /** Claims the port, 0 for any free one, and returns it; until `open`, every request is answered with 503. */
  listen(port: number): Promise<number>;
  open(service: GatewayConfig): void;
  /** Takes no new request, lets those under way end for a while, then breaks them off. */
  close(graceMs: number): Promise<void>;
};

const HOST = '127.0.0.1';

/** A header section, a whole request: what is slower than this holds a connection that others need. */
const SLOWNESS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 };

const WRONG_HOST_ANSWER: GatewayAnswer = { ...MISDIRECTED_REQUEST, code: 'bad_request' };

/** The laptop's API Gateway: one server on the loopback interface. */
export function createGateway(report: ReportError, logRequest: WriteAccessLog): Gateway {
  let serve: ReturnType<typeof createRequestListener> | undefined;
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const requestId = extendedRequestId();
    const entry: AccessLogEntry = { requestId };
    response.on('error', () => undefined);
    logWhenClosed(request, response, entry, logRequest);
    if (!isLoopbackHost(request))
      return sendGatewayResponse(response, WRONG_HOST_ANSWER, requestId, { Connection: 'close' });
    if (serve === undefined) return sendGatewayResponse(response, GATEWAY_ANSWERS.unavailable, requestId);
    serve(request, response, entry).catch((error: unknown) => {
      report('The gateway failed', error);
      sendGatewayResponse(response, GATEWAY_ANSWERS.internalError, requestId);
    });
  };
  // Node refuses what reaches its limit. It counts the names of headers too, so that the laptop is never milder.
  const maxHeaderSize = GATEWAY_LIMITS.headerBytesMax + 1;
  const options = { ...SLOWNESS, maxHeaderSize, requireHostHeader: false, keepAliveTimeout: 60_000 };
  const server = createServer(options, onRequest);
  collectGarbageWhenIdle(server);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket: Socket) => answerMalformed(error, socket, logRequest));
  return {
    listen: (port) => listen(server, port),
    open: (service) => {
      serve = createRequestListener(service);
    },
    close: (graceMs) => close(server, graceMs),
  };
}

function logWhenClosed(
  request: IncomingMessage,
  response: ServerResponse,
  entry: AccessLogEntry,
  logRequest: WriteAccessLog,
): void {
  const began = performance.now();
  const at = new Date();
  response.once('close', () => {
    const { method = '-', url = '-' } = request;
    const [path = '-'] = url.split('?');
    const status = response.writableFinished ? response.statusCode : 'aborted';
    logRequest(formatAccessLogLine(entry, { at, milliseconds: performance.now() - began, method, path, status }));
  });
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(impatient);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** By Node's codes; any other is a bad request. */
const UNREADABLE: Record<string, GatewayAnswer> = {
  ERR_HTTP_REQUEST_TIMEOUT: GATEWAY_ANSWERS.requestTimedOut,
  HPE_HEADER_OVERFLOW: GATEWAY_ANSWERS.headersTooLarge,
};

/** What is not HTTP has no response object: the answer is written to the socket. */
function answerMalformed(error: Error, socket: Socket, logRequest: WriteAccessLog): void {
  if (!socket.writable || socket.bytesWritten > 0 || errorCode(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const requestId = extendedRequestId();
  const made = buildGatewayResponse(UNREADABLE[String(errorCode(error))] ?? GATEWAY_ANSWERS.badRequest, requestId);
  logRequest(
    formatAccessLogLine(
      { requestId },
      { at: new Date(), milliseconds: 0, method: '-', path: '-', status: made.status },
    ),
  );
  const headers = Object.entries({ ...made.headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${made.status} ${STATUS_CODES[made.status]}\r\n${headers.join('\r\n')}\r\n\r\n${made.body}`);
}
