import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { networkPrefixesOf } from '../../../shared/http/client-address.ts';
import { JSON_BODY_BYTES_MAX } from '../../../shared/http/middleware/json-body.ts';
import {
  allowedMethods,
  GATEWAY_HEADERS,
  GATEWAY_LIMITS,
  GATEWAY_RESPONSES,
  preflightHeaders,
} from '../../stacks/api/gateway-responses.ts';
import type { ReportError } from '../common/output.ts';
import { lambdaContext } from '../lambda/context.ts';
import { isStreaming, type StreamingHandler } from '../lambda/globals.ts';
import { DEBUG_TIMEOUT_SECONDS } from '../lambda/timeout.ts';
import type { AccessLogEntry } from './access-log.ts';
import { allowedOrigin, type LocalOrigins } from './allowed-origin.ts';
import { sendBufferedResponse } from './buffered-response.ts';
import { sendGatewayResponse } from './gateway-responses.ts';
import { proxyEvent, sourceIpOf } from './proxy-event.ts';
import { createWindowRateLimiter, type WindowRateLimiter } from './rate-limiter.ts';
import { readBody, releaseBuffer } from './read-body.ts';
import { createRouter, type Match, type Resource, type Route } from './routes.ts';
import { sendStreamedResponse } from './streamed-response.ts';

export type ProxyHandler = ((event: APIGatewayProxyEvent, context: Context) => Promise<unknown>) | StreamingHandler;

/** What the gateway serves after the start. */
export type GatewayConfig = {
  operations: readonly Route[];
  /** Returns the handler of an operation by its id. */
  getFunction(id: string): ProxyHandler;
  /** The OpenAPI document, as JSON. */
  openapi: string;
  origins: LocalOrigins;
  /** False disables the rate limits of the gateway. */
  rateLimits: boolean;
  /** If false, a function can run for a day (`DEBUG_TIMEOUT_SECONDS`), so that a debugger can pause it. */
  timeouts: boolean;
  reportError: ReportError;
};

/**
 * Browsers don't encode these characters in a query, but API Gateway requires percent-encoding (developer guide,
 * important notes for REST APIs).
 */
const UNSUPPORTED_IN_QUERY = /[|{}]/;

const OPENAPI_PATH = '/api/v2/openapi.json';

type Exchange = { request: IncomingMessage; response: ServerResponse; requestId: string; entry: AccessLogEntry };

/**
 * Creates a listener that handles requests like API Gateway. It checks the route, the size and the rate limit, and then
 * invokes the function.
 */
export function createRequestListener(config: GatewayConfig) {
  const route = createRouter(config.operations);
  const rateLimiter = createWindowRateLimiter();
  return async (request: IncomingMessage, response: ServerResponse, entry: AccessLogEntry): Promise<void> => {
    // API Gateway sets the request time before it reads the body.
    const arrivedAt = new Date();
    const { requestId } = entry;
    const exchange = { request, response, requestId, entry };
    const { path, search } = splitTarget(request);
    if (path === OPENAPI_PATH) return sendOpenapi(exchange, config);
    if (UNSUPPORTED_IN_QUERY.test(search))
      return sendGatewayResponse(response, GATEWAY_RESPONSES.queryNotEncoded, requestId);
    const match = matchRoute(route, path);
    if (match === 'malformed') return sendGatewayResponse(response, GATEWAY_RESPONSES.badRequest, requestId);
    if (match === undefined) return sendGatewayResponse(response, GATEWAY_RESPONSES.pathNotFound, requestId);
    if (request.method === 'OPTIONS') return sendPreflight(exchange, match.resource, config.origins);
    const operation = match.resource.operations.get(request.method ?? '');
    if (operation === undefined) return respondMethodNotAllowed(exchange, match.resource.methods);
    entry.operation = operation.id;

    const body = await readBody(request, GATEWAY_LIMITS.bodyBytesMax);
    if (body === 'aborted') return;
    if (body === 'too-large') return sendGatewayResponse(response, GATEWAY_RESPONSES.payloadTooLarge, requestId);
    const event = proxyEvent({ request, match, path, search, body, requestId, arrivedAt });
    const bodyBytes = body.length;
    releaseBuffer(body);
    if (isEventTooLarge(event)) return sendGatewayResponse(response, GATEWAY_RESPONSES.payloadTooLarge, requestId);
    // If the function will reject the body with 413, don't apply the rate limit. Otherwise, the client could get a 429
    // instead of the 413.
    const { bodyBytesMax = JSON_BODY_BYTES_MAX } = operation.limits;
    const isCounted = config.rateLimits && bodyBytes <= bodyBytesMax;
    const exceeded = isCounted ? countRequest(rateLimiter, operation, match, request) : undefined;
    if (exceeded) return sendGatewayResponse(response, GATEWAY_RESPONSES.rateLimited, requestId, exceeded);
    await invoke(exchange, operation, event, config);
  };
}

/** Splits a URL into path and query. Ignores the origin, which clients of a proxy send (RFC 9112, 3.2.2). */
function splitTarget(request: IncomingMessage): { path: string; search: string } {
  const url = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const at = url.indexOf('?');
  return at < 0 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at + 1) };
}

function matchRoute(route: ReturnType<typeof createRouter>, path: string): Match | 'malformed' | undefined {
  try {
    return route(path);
  } catch {
    return 'malformed';
  }
}

function sendOpenapi(exchange: Exchange, { openapi }: GatewayConfig): void {
  const { request, response, requestId } = exchange;
  if (request.method !== 'GET') {
    respondMethodNotAllowed(exchange, ['GET']);
    return;
  }
  response.writeHead(200, { ...GATEWAY_HEADERS, 'x-request-id': requestId }).end(openapi);
}

function sendPreflight({ request, response, requestId }: Exchange, resource: Resource, origins: LocalOrigins) {
  const isPublic = [...resource.operations.values()].some(({ auth }) => auth === 'public');
  const origin = isPublic ? '*' : allowedOrigin(origins, request.headers.origin);
  const headers = { ...preflightHeaders(origin, resource.methods), 'x-request-id': requestId };
  response.writeHead(204, isPublic ? headers : { ...headers, Vary: 'Origin' }).end();
}

function respondMethodNotAllowed({ response, requestId }: Exchange, methods: readonly string[]): void {
  sendGatewayResponse(response, GATEWAY_RESPONSES.methodNotAllowed, requestId, { Allow: allowedMethods(methods) });
}

/**
 * Whether the event is larger than Lambda allows. An event with a small body is not measured, because measuring
 * serializes the whole event.
 */
const isEventTooLarge = (event: APIGatewayProxyEvent) =>
  (event.body?.length ?? 0) > GATEWAY_LIMITS.eventBytesMax / 4 && eventBytes(event) > GATEWAY_LIMITS.eventBytesMax;

/** Returns the size of the event as JSON. A Base64 body is not serialized, because JSON does not change Base64. */
function eventBytes({ body, ...rest }: APIGatewayProxyEvent): number {
  const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const bodyBytes = rest.isBase64Encoded ? (body?.length ?? 0) + '""'.length : jsonBytes(body);
  return jsonBytes({ ...rest, body: 0 }) - 1 + bodyBytes;
}

function countRequest(
  rateLimiter: WindowRateLimiter,
  { id, limits }: Route,
  { parameters }: Match,
  request: IncomingMessage,
): Record<string, string> | undefined {
  if (limits.wafPerMinutePerIp === undefined) return undefined;
  const funnel = limits.wafPerFunnel ? (parameters.id ?? '').toLowerCase() : '';
  return rateLimiter.count(
    `${id} ${networkPrefixesOf(sourceIpOf(request)).network} ${funnel}`,
    limits.wafPerMinutePerIp,
  );
}

async function invoke(
  { request, response, requestId, entry }: Exchange,
  operation: Route,
  event: APIGatewayProxyEvent,
  { getFunction: functionOf, timeouts, reportError, origins }: GatewayConfig,
): Promise<void> {
  const handler = functionOf(operation.id);
  const timeoutSeconds = timeouts ? operation.limits.timeoutSeconds : DEBUG_TIMEOUT_SECONDS;
  const integrationSeconds = timeouts ? GATEWAY_LIMITS.integrationSeconds : DEBUG_TIMEOUT_SECONDS;
  const settings = { functionId: operation.id, timeoutSeconds, integrationSeconds, reportError };
  const context = lambdaContext(operation, randomUUID());
  const failure = isStreaming(handler)
    ? await sendStreamedResponse(response, async (stream) => handler(event, stream, context), settings)
    : await sendBufferedResponse(
        response,
        Promise.resolve()
          .then(() => handler(event, context))
          .then((result) => {
            entry.warning = readWarning(result);
            return operation.auth === 'public' ? result : withLocalOrigin(result, origins, request.headers.origin);
          }),
        settings,
      );
  if (failure) sendGatewayResponse(response, failure, requestId);
}

type Result = { headers?: Record<string, unknown> } | undefined;

function readWarning(result: unknown): string | undefined {
  const warning = (result as Result)?.headers?.['x-warning'];
  return warning === undefined ? undefined : String(warning);
}

/**
 * Replaces `Access-Control-Allow-Origin`. A Lambda function allows only the configured origins. With `anyLoopback`, the
 * gateway also allows pages of this machine.
 */
function withLocalOrigin(result: unknown, origins: LocalOrigins, origin: string | undefined): unknown {
  const { headers } = (result as Result) ?? {};
  if (headers?.['Access-Control-Allow-Origin'] === undefined) return result;
  return {
    ...(result as Result),
    headers: { ...headers, 'Access-Control-Allow-Origin': allowedOrigin(origins, origin) },
  };
}
