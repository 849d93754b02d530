import { Readable } from 'node:stream';
import type middy from '@middy/core';
import type { Operation } from '../operation.ts';
import { plainTextEncoder, type StartedStreamingResponse, uiMessageStreamEncoder } from '../text-stream.ts';
import { acceptsEventStream } from './accept-event-stream.ts';
import type { MiddlewareEvent } from './request-context.ts';
import { commonHeaders, errorResponse } from './response.ts';

type StreamRequest = middy.Request<MiddlewareEvent, unknown>;

/** The last word of an operation that streams: 200 in the type that the client accepts, problems as everywhere. */
export function serializeStream(declared: Operation, corsOrigins: readonly string[]) {
  return {
    after: (request: StreamRequest) => {
      const { context: frame } = request.event;
      const { headers, pieces } = acceptsEventStream(frame.headers.accept) ? uiMessageStreamEncoder : plainTextEncoder;
      request.response = {
        statusCode: 200,
        headers: { ...commonHeaders(declared, corsOrigins, frame), ...headers },
        body: Readable.from(pieces(request.response as StartedStreamingResponse)),
      };
    },
    onError: (request: StreamRequest) => {
      request.response = errorResponse(declared, corsOrigins, request as Parameters<typeof errorResponse>[2]);
    },
  };
}
