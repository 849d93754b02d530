import { randomUUID } from 'node:crypto';
import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Role } from '../../organizations/membership.ts';
import { createJsonLogger, type Logger } from '../../platform/logger.ts';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';

/** Who calls an organization route: authenticated, and a member of the organization in the path. */
export type Caller = { userId: string; role: Role };

/** What the stages learn of a request, each adding its part; the handler reads it as its call. */
export type RequestContext = {
  /** The `x-request-id` of the response, and the id on every log line. A caller can't choose it. */
  requestId: string;
  log: Logger;
  /** Header names in lower case. */
  headers: Record<string, string | undefined>;
  /** The body's text; empty where the body is read as bytes. */
  rawBody: string;
  /** When the gateway took the request, in milliseconds since the epoch; without a gateway that says so, now. */
  receivedAtMs: number;
  /** The address that the gateway saw; empty without a gateway. Personal data: never kept, see `AddressGate`. */
  sourceIp: string;
  path: unknown;
  query: unknown;
  body: unknown;
  caller: Caller | undefined;
  /** What is wrong with a request that succeeds all the same: the response header `x-warning`. */
  warnings: Set<string>;
  /** What the reply is known by, where an operation's answers are revalidated. */
  etag?: string;
};

/** The gateway's event on its way through the stack; `body` becomes the parsed body, `frame` collects the rest. */
export type MiddlewareEvent = Omit<APIGatewayProxyEvent, 'body'> & { body: unknown; context: RequestContext };
export type MiddlewareRequest = middy.Request<MiddlewareEvent, APIGatewayProxyResult>;

/**
 * The first stage: names the request and gives it a log. It never throws, because the error middleware needs the log: an
 * event from elsewhere than API Gateway (the console's test button, for example) can lack the request context.
 */
export function attachRequestContext(declared: Operation): Middleware {
  return {
    before: ({ event }) => {
      const headers = lowerCased(event.headers ?? {});
      const context: Partial<APIGatewayProxyEvent['requestContext']> = event.requestContext ?? {};
      // Not `requestId`: callers choose that one by the header x-amzn-RequestId.
      const requestId = context.extendedRequestId ?? randomUUID();
      event.context = {
        requestId,
        log: createJsonLogger({ function: declared.id, requestId }),
        headers,
        rawBody: declared.body === 'multipart' ? '' : rawBodyOf(event),
        receivedAtMs: context.requestTimeEpoch ?? Date.now(),
        sourceIp: context.identity?.sourceIp ?? '',
        path: undefined,
        query: undefined,
        body: undefined,
        caller: undefined,
        warnings: new Set(),
      };
    },
  };
}

function rawBodyOf(event: MiddlewareEvent): string {
  if (typeof event.body !== 'string') return '';
  return event.isBase64Encoded ? Buffer.from(event.body, 'base64').toString() : event.body;
}

function lowerCased(headers: APIGatewayProxyEvent['headers']): RequestContext['headers'] {
  const lower: RequestContext['headers'] = {};
  for (const name in headers) lower[name.toLowerCase()] = headers[name];
  return lower;
}
