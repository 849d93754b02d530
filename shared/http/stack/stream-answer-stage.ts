import { Readable } from 'node:stream';
import type middy from '@middy/core';
import type { Operation } from '../operation.ts';
import { commonHeaders, problemAnswer } from './answer-stage.ts';
import type { StackEvent } from './frame.ts';
import { wantsEvents } from './stream-accept.ts';
import { type BegunReply, plainText, uiMessageStream } from './stream-format.ts';

type StreamRequest = middy.Request<StackEvent, unknown>;

/** The last word of an operation that streams: 200 in the type that the client accepts, problems as everywhere. */
export function streamAnswerStage(declared: Operation, corsOrigins: readonly string[]) {
  return {
    after: (request: StreamRequest) => {
      const { frame } = request.event;
      const { headers, pieces } = wantsEvents(frame.headers.accept) ? uiMessageStream : plainText;
      request.response = {
        statusCode: 200,
        headers: { ...commonHeaders(declared, corsOrigins, frame), ...headers },
        body: Readable.from(pieces(request.response as BegunReply)),
      };
    },
    onError: (request: StreamRequest) => {
      request.response = problemAnswer(declared, corsOrigins, request as Parameters<typeof problemAnswer>[2]);
    },
  };
}
