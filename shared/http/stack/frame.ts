import { randomUUID } from 'node:crypto';
import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Role } from '../../organizations/membership.ts';
import { jsonLog, type Log } from '../../platform/log.ts';
import type { Operation } from '../operation.ts';
import type { Stage } from './stage.ts';

/** Who calls an organization route: authenticated, and a member of the organization in the path. */
export type Caller = { userId: string; role: Role };

/** What the stages learn of a request, each adding its part; the handler reads it as its call. */
export type Frame = {
  /** The `x-request-id` of the response, and the id on every log line. A caller can't choose it. */
  requestId: string;
  log: Log;
  /** Header names in lower case. */
  headers: Record<string, string | undefined>;
  /** The body's text; empty where the body is read as bytes. */
  rawBody: string;
  /** When the gateway took the request, in milliseconds since the epoch; without a gateway that says so, now. */
  arrivedAtMs: number;
  /** The address that the gateway saw; empty without a gateway. Personal data: never kept, see `AddressGate`. */
  sourceIp: string;
  path: unknown;
  query: unknown;
  body: unknown;
  caller: Caller | undefined;
  /** What is wrong with a request that succeeds all the same: the response header `x-warning`. */
  warnings: Set<string>;
  /** What the reply is known by, where an operation's answers are revalidated. */
  tag?: string;
};

/** The gateway's event on its way through the stack; `body` becomes the parsed body, `frame` collects the rest. */
export type StackEvent = Omit<APIGatewayProxyEvent, 'body'> & { body: unknown; frame: Frame };
export type StackRequest = middy.Request<StackEvent, APIGatewayProxyResult>;

/**
 * The first stage: names the request and gives it a log. It never throws, because the error middleware needs the log: an
 * event from elsewhere than API Gateway (the console's test button, for example) can lack the request context.
 */
export function frameStage(declared: Operation): Stage {
  return {
    before: ({ event }) => {
      const headers = lowerCased(event.headers ?? {});
      const context: Partial<APIGatewayProxyEvent['requestContext']> = event.requestContext ?? {};
      // Not `requestId`: callers choose that one by the header x-amzn-RequestId.
      const requestId = context.extendedRequestId ?? randomUUID();
      event.frame = {
        requestId,
        log: jsonLog({ function: declared.id, requestId }),
        headers,
        rawBody: declared.body === 'multipart' ? '' : rawBodyOf(event),
        arrivedAtMs: context.requestTimeEpoch ?? Date.now(),
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

function rawBodyOf(event: StackEvent): string {
  if (typeof event.body !== 'string') return '';
  return event.isBase64Encoded ? Buffer.from(event.body, 'base64').toString() : event.body;
}

function lowerCased(headers: APIGatewayProxyEvent['headers']): Frame['headers'] {
  const lower: Frame['headers'] = {};
  for (const name in headers) lower[name.toLowerCase()] = headers[name];
  return lower;
}
