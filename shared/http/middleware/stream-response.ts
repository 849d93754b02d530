import { Readable } from 'node:stream';
import type middy from '@middy/core';
import type { Operation } from '../operation.ts';
import { plainTextEncoder, type StartedStreamingResponse, uiMessageStreamEncoder } from '../text-stream.ts';
import { acceptsEventStream } from './accept-event-stream.ts';
import type { MiddlewareEvent } from './middleware.ts';
import { commonHeaders, errorResponse } from './response.ts';

type StreamRequest = middy.Request<MiddlewareEvent, unknown>;

/** Responds with 200 in the content type that the client prefers. Errors are JSON, as in every operation. */
export function serializeStream(operation: Operation, corsOrigins: readonly string[]) {
  return {
    after: (request: StreamRequest) => {
      const { requestState } = request.event;
      const encoder = acceptsEventStream(requestState.headers.accept) ? uiMessageStreamEncoder : plainTextEncoder;
      request.response = {
        statusCode: 200,
        headers: { ...commonHeaders(operation, corsOrigins, requestState), ...encoder.headers },
        body: Readable.from(encoder.encode(request.response as StartedStreamingResponse)),
      };
    },
    onError: (request: StreamRequest) => {
      request.response = errorResponse(operation, corsOrigins, request as Parameters<typeof errorResponse>[2]);
    },
  };
}
