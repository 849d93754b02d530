import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { networkPrefixesOf } from '../../../shared/http/client-address.ts';
import { JSON_BODY_BYTES_MAX } from '../../../shared/http/middleware/json-body.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import {
  allowedMethods,
  GATEWAY_ANSWERS,
  GATEWAY_HEADERS,
  GATEWAY_LIMITS,
  preflightHeaders,
} from '../../api/gateway-answers.ts';
import type { ReportError } from '../common/output.ts';
import { lambdaContext } from '../lambda/context.ts';
import { isStreaming, type StreamingHandler } from '../lambda/globals.ts';
import type { AccessLogEntry } from './access-log.ts';
import { allowedOrigin, type LocalOrigins } from './allowed-origin.ts';
import { sendBufferedResponse } from './buffered-response.ts';
import { sendGatewayResponse } from './gateway-responses.ts';
import { proxyEvent, sourceIpOf } from './proxy-event.ts';
import { createWindowRateLimiter } from './rate-limiter.ts';
import { readBody, releaseBuffer } from './read-body.ts';
import { createRouter, type Match, type Resource } from './routes.ts';
import { sendStreamedResponse } from './streamed-response.ts';

export type ProxyHandler = ((event: APIGatewayProxyEvent, context: Context) => Promise<unknown>) | StreamingHandler;

/** What the gateway serves once everything is up. */
export type GatewayConfig = {
  operations: readonly Operation[];
  /** The function of an operation, by its id. */
  getFunction(id: string): ProxyHandler;
  /** The API's own description, as JSON. */
  openapi: string;
  origins: LocalOrigins;
  /** False lifts the limits that the gateway counts. */
  rateLimits: boolean;
  reportError: ReportError;
};

/** API Gateway developer guide, important notes for REST APIs: these must be percent-encoded. Browsers don't do that themselves. */
const UNSUPPORTED_IN_QUERY = /[|{}]/;

const OPENAPI_PATH = '/api/v2/openapi.json';

type Exchange = { request: IncomingMessage; response: ServerResponse; requestId: string; entry: AccessLogEntry };

/** Answers requests in the order of checks that API Gateway and the declarations give: route, size, rate, function. */
export function createRequestListener(service: GatewayConfig) {
  const route = createRouter(service.operations);
  const rates = createWindowRateLimiter();
  return async (request: IncomingMessage, response: ServerResponse, entry: AccessLogEntry): Promise<void> => {
    // As the gateway's clock has it: before the body, which may take its time.
    const arrivedAt = new Date();
    const { requestId } = entry;
    const exchange = { request, response, requestId, entry };
    const { path, search } = target(request);
    if (path === OPENAPI_PATH) return sendOpenapi(exchange, service);
    if (UNSUPPORTED_IN_QUERY.test(search))
      return sendGatewayResponse(response, GATEWAY_ANSWERS.queryNotEncoded, requestId);
    const match = matchOf(route, path);
    if (match === 'malformed') return sendGatewayResponse(response, GATEWAY_ANSWERS.badRequest, requestId);
    if (match === undefined) return sendGatewayResponse(response, GATEWAY_ANSWERS.pathNotFound, requestId);
    if (request.method === 'OPTIONS') return sendPreflight(exchange, match.resource, service.origins);
    const operation = match.resource.operations.get(request.method ?? '');
    if (operation === undefined) return refuseMethod(exchange, match.resource.methods);
    entry.operation = operation.id;

    const body = await readBody(request, GATEWAY_LIMITS.bodyBytesMax);
    if (body === 'gone') return;
    if (body === 'too-large') return sendGatewayResponse(response, GATEWAY_ANSWERS.payloadTooLarge, requestId);
    const event = proxyEvent({ request, match, path, search, body, requestId, arrivedAt });
    const bodyBytes = body.length;
    releaseBuffer(body);
    if (tooLarge(event)) return sendGatewayResponse(response, GATEWAY_ANSWERS.payloadTooLarge, requestId);
    // A body that the function will refuse as too large is answered with 413 even by a client over its rate.
    const { bodyBytesMax = JSON_BODY_BYTES_MAX } = operation.limits;
    const counted = service.rateLimits && bodyBytes <= bodyBytesMax;
    const exceeded = counted ? countRequest(rates, operation, match, request) : undefined;
    if (exceeded) return sendGatewayResponse(response, GATEWAY_ANSWERS.rateLimited, requestId, exceeded);
    await invoke(exchange, operation, event, service);
  };
}

/** A proxy's client sends the absolute form (RFC 9112, 3.2.2). */
function target(request: IncomingMessage): { path: string; search: string } {
  const url = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const at = url.indexOf('?');
  return at < 0 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at + 1) };
}

function matchOf(route: ReturnType<typeof createRouter>, path: string): Match | 'malformed' | undefined {
  try {
    return route(path);
  } catch {
    return 'malformed';
  }
}

function sendOpenapi(exchange: Exchange, { openapi }: GatewayConfig): void {
  const { request, response, requestId } = exchange;
  if (request.method !== 'GET') {
    refuseMethod(exchange, ['GET']);
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

function refuseMethod({ response, requestId }: Exchange, methods: readonly string[]): void {
  sendGatewayResponse(response, GATEWAY_ANSWERS.methodNotAllowed, requestId, { Allow: allowedMethods(methods) });
}

/** The event is measured only when its body makes it possible that it is too large: measuring costs as much as sending. */
const tooLarge = (event: APIGatewayProxyEvent) =>
  (event.body?.length ?? 0) > GATEWAY_LIMITS.eventBytesMax / 4 && bytesOf(event) > GATEWAY_LIMITS.eventBytesMax;

/** As JSON. Base64 is printed as it is: megabytes of it need not be, to be measured. */
function bytesOf({ body, ...rest }: APIGatewayProxyEvent): number {
  const printed = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const bodyBytes = rest.isBase64Encoded ? (body?.length ?? 0) + '""'.length : printed(body);
  return printed({ ...rest, body: 0 }) - 1 + bodyBytes;
}

function countRequest(
  rates: ReturnType<typeof createWindowRateLimiter>,
  { id, limits }: Operation,
  { parameters }: Match,
  request: IncomingMessage,
): Record<string, string> | undefined {
  if (limits.wafPerMinutePerIp === undefined) return undefined;
  const funnel = limits.wafPerFunnel ? (parameters.id ?? '').toLowerCase() : '';
  return rates.count(`${id} ${networkPrefixesOf(sourceIpOf(request)).network} ${funnel}`, limits.wafPerMinutePerIp);
}

async function invoke(
  { request, response, requestId, entry }: Exchange,
  operation: Operation,
  event: APIGatewayProxyEvent,
  { getFunction: functionOf, reportError: report, origins }: GatewayConfig,
): Promise<void> {
  const handler = functionOf(operation.id);
  const run = { timeoutSeconds: operation.limits.timeoutSeconds, report };
  const context = lambdaContext(operation, randomUUID());
  const failure = isStreaming(handler)
    ? await sendStreamedResponse(response, async (stream) => handler(event, stream, context), run)
    : await sendBufferedResponse(
        response,
        Promise.resolve()
          .then(() => handler(event, context))
          .then((result) => {
            entry.warning = warningIn(result);
            return operation.auth === 'public' ? result : withOrigin(result, origins, request.headers.origin);
          }),
        run,
      );
  if (failure) sendGatewayResponse(response, failure, requestId);
}

type Result = { headers?: Record<string, unknown> } | undefined;

function warningIn(result: unknown): string | undefined {
  const warning = (result as Result)?.headers?.['x-warning'];
  return warning === undefined ? undefined : String(warning);
}

/** Functions know the configured origins alone; here the pages of this machine may read the response too. */
function withOrigin(result: unknown, origins: LocalOrigins, origin: string | undefined): unknown {
  const { headers } = (result as Result) ?? {};
  if (headers?.['Access-Control-Allow-Origin'] === undefined) return result;
  return {
    ...(result as Result),
    headers: { ...headers, 'Access-Control-Allow-Origin': allowedOrigin(origins, origin) },
  };
}
