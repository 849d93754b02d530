import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { errorCode } from '../../common/user-error.ts';
import { GATEWAY_LIMITS, GATEWAY_RESPONSES, type GatewayResponse } from '../../stacks/api/gateway-responses.ts';
import { isLoopbackHost, MISDIRECTED_REQUEST } from '../common/loopback-host.ts';
import type { ReportError, WriteAccessLog } from '../common/output.ts';
import { type AccessLogEntry, formatAccessLogLine } from './access-log.ts';
import { buildGatewayResponse, createExtendedRequestId, sendGatewayResponse } from './gateway-responses.ts';
import { collectGarbageWhenIdle } from './idle-garbage-collection.ts';
import { createRequestListener, type GatewayConfig } from './request-listener.ts';

export type Gateway = {
  /** Listens on a port (0: any free port) and returns its number. Responds 503 until `open` is called. */
  listen(port: number): Promise<number>;
  open(config: GatewayConfig): void;
  /** Accepts no new connections. Waits for running requests, at most for `graceMs`; then closes their connections. */
  close(graceMs: number): Promise<void>;
};

const HOST = '127.0.0.1';

/** Timeouts in milliseconds. Without them, slow clients would hold connections that other clients need. */
const SLOW_CLIENT_LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 };

const MISDIRECTED_RESPONSE: GatewayResponse = { ...MISDIRECTED_REQUEST, code: 'bad_request' };

/** The API Gateway stand-in: one server on the loopback interface. */
export function createGateway(reportError: ReportError, writeAccessLog: WriteAccessLog): Gateway {
  let listener: ReturnType<typeof createRequestListener> | undefined;
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const requestId = createExtendedRequestId();
    const entry: AccessLogEntry = { requestId };
    response.on('error', () => undefined);
    logWhenClosed(request, response, entry, writeAccessLog);
    if (!isLoopbackHost(request)) {
      return sendGatewayResponse(response, MISDIRECTED_RESPONSE, requestId, { Connection: 'close' });
    }
    if (listener === undefined) return sendGatewayResponse(response, GATEWAY_RESPONSES.unavailable, requestId);
    listener(request, response, entry).catch((error: unknown) => {
      reportError('The gateway failed to process a request', error);
      sendGatewayResponse(response, GATEWAY_RESPONSES.internalError, requestId);
    });
  };
  // Node rejects headers of this size and more. Node counts names and values of headers. API Gateway counts only
  // values, so Node is at least as strict.
  const maxHeaderSize = GATEWAY_LIMITS.headerBytesMax + 1;
  const options = { ...SLOW_CLIENT_LIMITS, maxHeaderSize, requireHostHeader: false, keepAliveTimeout: 60_000 };
  const server = createServer(options, onRequest);
  collectGarbageWhenIdle(server);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket: Socket) => respondToClientError(error, socket, writeAccessLog));
  return {
    listen: (port) => listen(server, port),
    open: (config) => {
      listener = createRequestListener(config);
    },
    close: (graceMs) => close(server, graceMs),
  };
}

function logWhenClosed(
  request: IncomingMessage,
  response: ServerResponse,
  entry: AccessLogEntry,
  writeAccessLog: WriteAccessLog,
): void {
  const startMs = performance.now();
  const at = new Date();
  response.once('close', () => {
    const { method = '-', url = '-' } = request;
    const [path = '-'] = url.split('?');
    const status = response.writableFinished ? response.statusCode : 'aborted';
    writeAccessLog(formatAccessLogLine(entry, { at, milliseconds: performance.now() - startMs, method, path, status }));
  });
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const graceTimer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(graceTimer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** The responses by error code of Node. Any other error gets `badRequest`. */
const CLIENT_ERROR_RESPONSES: Record<string, GatewayResponse> = {
  ERR_HTTP_REQUEST_TIMEOUT: GATEWAY_RESPONSES.requestTimedOut,
  HPE_HEADER_OVERFLOW: GATEWAY_RESPONSES.headersTooLarge,
};

/** Writes the response to the socket, because a request that Node could not read has no response object. */
function respondToClientError(error: Error, socket: Socket, writeAccessLog: WriteAccessLog): void {
  if (!socket.writable || socket.bytesWritten > 0 || errorCode(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const requestId = createExtendedRequestId();
  const response = CLIENT_ERROR_RESPONSES[String(errorCode(error))] ?? GATEWAY_RESPONSES.badRequest;
  const { status, headers, body } = buildGatewayResponse(response, requestId, { Connection: 'close' });
  const request = { at: new Date(), milliseconds: 0, method: '-', path: '-', status };
  writeAccessLog(formatAccessLogLine({ requestId }, request));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
