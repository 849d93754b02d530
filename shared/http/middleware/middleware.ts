import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Logger } from '../../platform/logger.ts';
import type { Caller } from '../authorizer.ts';

/** Data of the current request. Each middleware adds its part; the handler receives it as `HandlerRequest`. */
export type RequestState = {
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

/** The API Gateway event with the request state. */
export type MiddlewareEvent = Omit<APIGatewayProxyEvent, 'body'> & { body: unknown; requestState: RequestState };
export type MiddlewareRequest = middy.Request<MiddlewareEvent, APIGatewayProxyResult>;

/** A middy middleware: `before` runs in order, `after` and `onError` in reverse order. */
export type Middleware = {
  before?: (request: MiddlewareRequest) => void | Promise<void>;
  after?: (request: MiddlewareRequest) => void;
  onError?: (request: MiddlewareRequest) => void;
};
