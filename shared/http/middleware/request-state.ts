import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createJsonLogger } from '../../platform/logger.ts';
import type { Operation } from '../operation.ts';
import type { Middleware, MiddlewareEvent, RequestState } from './middleware.ts';

/**
 * The first middleware. It must not throw, because the error response needs the logger that is created here. Events
 * that don't come from API Gateway, for example from the test button of the Lambda console, can lack API Gateway's
 * `requestContext`.
 */
export function attachRequestState(operation: Operation): Middleware {
  return {
    before: ({ event }) => {
      const gateway: Partial<APIGatewayProxyEvent['requestContext']> = event.requestContext ?? {};
      // Not `gateway.requestId`, because clients can choose its value with the header x-amzn-RequestId.
      const requestId = gateway.extendedRequestId ?? randomUUID();
      event.requestState = {
        requestId,
        log: createJsonLogger({ function: operation.id, requestId }),
        headers: lowerCaseNames(event.headers ?? {}),
        rawBody: operation.body === 'multipart' ? '' : decodeBody(event),
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

function lowerCaseNames(headers: APIGatewayProxyEvent['headers']): RequestState['headers'] {
  const lower: RequestState['headers'] = {};
  for (const name in headers) lower[name.toLowerCase()] = headers[name];
  return lower;
}
