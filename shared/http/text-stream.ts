/** Why a text ended, named as in the streams of the AI SDK. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'other';

/** Yields the pieces of a text and returns why the text ended. The consumer must read to the end or call `return`. */
export type TextDeltaStream = AsyncGenerator<string, FinishReason, undefined>;

export type StreamingResponse = {
  deltas: TextDeltaStream;
  /** Public information about the text. An event stream sends it before the text; plain text omits it. */
  metadata: Record<string, unknown>;
};

/** A response whose first delta has arrived, or whose text has ended without a delta. */
export type StartedStreamingResponse = StreamingResponse & {
  first: IteratorResult<string, FinishReason>;
  requestId: string;
};

type StreamEncoder = {
  headers: Record<string, string>;
  /** Yields the response body in chunks. Each chunk contains at most one delta. */
  encode(response: StartedStreamingResponse): AsyncGenerator<string>;
};

/** Disables buffering in reverse proxies that support the header, such as nginx. */
const UNBUFFERED = { 'X-Accel-Buffering': 'no' };

/** Plain text. A failure aborts the response, so that clients don't mistake a part for the whole text. */
export const plainTextEncoder: StreamEncoder = {
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...UNBUFFERED },
  async *encode({ first, deltas }) {
    for (let next = first; !next.done; next = await deltas.next()) yield next.value;
  },
};

const TEXT_ID = 'text';
const DONE = 'data: [DONE]\n\n';
const part = (type: string, properties: Record<string, unknown> = {}) =>
  `data: ${JSON.stringify({ type, ...properties })}\n\n`;
const delta = (text: string) => part('text-delta', { id: TEXT_ID, delta: text });

/**
 * The UI message stream of the AI SDK, version 1, as server-sent events. A failure is sent as an `error` part.
 * Keep-alive comments are not needed, because the timeout between two deltas is shorter than the idle timeout of common
 * proxies.
 */
export const uiMessageStreamEncoder: StreamEncoder = {
  headers: { 'Content-Type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1', ...UNBUFFERED },
  async *encode({ first, deltas, metadata, requestId }) {
    const opening =
      part('start', { messageId: requestId, messageMetadata: metadata }) + part('text-start', { id: TEXT_ID });
    let next = first;
    yield next.done ? opening : opening + delta(next.value);
    try {
      while (!next.done) {
        next = await deltas.next();
        if (!next.done) yield delta(next.value);
      }
    } catch {
      // The producer of the deltas has logged the cause.
      yield part('error', { errorText: 'The AI model failed before the response was complete. Try again.' }) + DONE;
      return;
    }
    yield part('text-end', { id: TEXT_ID }) + part('finish', { finishReason: next.value }) + DONE;
  },
};
