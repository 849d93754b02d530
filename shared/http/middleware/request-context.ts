import { randomUUID } from 'node:crypto';
import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createJsonLogger, type Logger } from '../../platform/logger.ts';
import type { Caller } from '../authorizer.ts';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';

/** Data of the current request. Each middleware adds its part; the handler receives it as `HandlerRequest`. */
export type RequestContext = {
  /** Response header `x-request-id`, and on every log line. Clients can't choose it. */
  requestId: string;
  log: Logger;
  /** Header names in lower case. */
  headers: Record<string, string | undefined>;
  /** The body as text; empty where the body is read as bytes. */
  rawBody: string;
  /** When API Gateway received the request, in milliseconds since the epoch; now if the event doesn't contain it. */
  receivedAtMs: number;
  /** Client address as seen by API Gateway; empty if the event doesn't contain it. Personal data: never store or log it. */
  sourceIp: string;
  path: unknown;
  query: unknown;
  body: unknown;
  caller: Caller | undefined;
  /** Warnings about a request that succeeds nevertheless; response header `x-warning`. */
  warnings: Set<string>;
  etag?: string;
};

/** The API Gateway event with the request context. */
export type MiddlewareEvent = Omit<APIGatewayProxyEvent, 'body'> & { body: unknown; context: RequestContext };
export type MiddlewareRequest = middy.Request<MiddlewareEvent, APIGatewayProxyResult>;

/**
 * The first middleware. It must not throw, because the error middleware needs the logger: events that don't come from API
 * Gateway, for example from the test button of the Lambda console, can lack the request context.
 */
export function attachRequestContext(declared: Operation): Middleware {
  return {
    before: ({ event }) => {
      const gateway: Partial<APIGatewayProxyEvent['requestContext']> = event.requestContext ?? {};
      // Not `requestId`: clients can choose that one with the header x-amzn-RequestId.
      const requestId = gateway.extendedRequestId ?? randomUUID();
      event.context = {
        requestId,
        log: createJsonLogger({ function: declared.id, requestId }),
        headers: lowerCaseNames(event.headers ?? {}),
        rawBody: declared.body === 'multipart' ? '' : decodeBody(event),
        receivedAtMs: gateway.requestTimeEpoch ?? Date.now(),
        sourceIp: gateway.identity?.sourceIp ?? '',
        path: undefined,
        query: undefined,
        body: undefined,
        caller: undefined,
        warnings: new Set(),
      };
    },
  };
}

function decodeBody(event: MiddlewareEvent): string {
  if (typeof event.body !== 'string') return '';
  return event.isBase64Encoded ? Buffer.from(event.body, 'base64').toString() : event.body;
}

function lowerCaseNames(headers: APIGatewayProxyEvent['headers']): RequestContext['headers'] {
  const lower: RequestContext['headers'] = {};
  for (const name in headers) lower[name.toLowerCase()] = headers[name];
  return lower;
}
