import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Logger } from '../../platform/logger.ts';
import type { Caller } from '../authorizer.ts';

/** Data of the current request. Each middleware adds its part; the handler receives it as `HandlerRequest`. */
export type RequestState = {
  /** Sent in the response header `x-request-id` and part of every log line. Clients can't choose it. */
  requestId: string;
  log: Logger;
  /** Header names in lower case. */
  headers: Record<string, string | undefined>;
  /** The body as text. Empty for a form, and for a signed body after it was parsed. */
  rawBody: string;
  /** When API Gateway received the request, in milliseconds since the epoch; the current time if the event lacks it. */
  receivedAtMs: number;
  /**
   * Client address as seen by API Gateway; empty if the event doesn't contain it. Personal data: never store or log it.
   */
  sourceIp: string;
  path: unknown;
  query: unknown;
  body: unknown;
  caller: Caller | undefined;
  /** Warnings that don't make the request fail. Sent in the response header `x-warning`. */
  warnings: Set<string>;
  etag?: string;
};

export type MiddlewareEvent = Omit<APIGatewayProxyEvent, 'body'> & { body: unknown; requestState: RequestState };
export type MiddlewareRequest = middy.Request<MiddlewareEvent, APIGatewayProxyResult>;

/** A middy middleware: `before` runs in order, `after` and `onError` in reverse order. */
export type Middleware = {
  before?: (request: MiddlewareRequest) => void | Promise<void>;
  after?: (request: MiddlewareRequest) => void;
  onError?: (request: MiddlewareRequest) => void;
};
