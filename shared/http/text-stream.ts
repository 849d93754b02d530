/** Why a text ended, in the words of the AI SDK's streams. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'other';

/** Text as it comes, and at its end why it ended. Whoever takes one runs it to its end or calls `return`. */
export type TextDeltaStream = AsyncGenerator<string, FinishReason, undefined>;

export type StreamingResponse = {
  deltas: TextDeltaStream;
  /** What a reader of the event stream learns about the answer before its text; nothing secret. */
  metadata: Record<string, unknown>;
};

/** A reply whose first delta has come. */
export type StartedStreamingResponse = StreamingResponse & {
  first: IteratorResult<string, FinishReason>;
  requestId: string;
};

type StreamEncoder = {
  headers: Record<string, string>;
  /** The answer's bytes as text, a piece for each delta. */
  pieces(reply: StartedStreamingResponse): AsyncGenerator<string>;
};

/** A reverse proxy that is set so must not collect what should be read as it comes. */
const UNBUFFERED = { 'X-Accel-Buffering': 'no' };

/** Nothing but the text. A failure breaks the answer off, so that no reader takes a part for the whole. */
export const plainTextEncoder: StreamEncoder = {
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...UNBUFFERED },
  pieces: (reply) => textOf(reply),
};

async function* textOf({ first, deltas }: StartedStreamingResponse): AsyncGenerator<string> {
  for (let next = first; !next.done; next = await deltas.next()) yield next.value;
}

const BROKEN_OFF = 'The response ended early because the AI model failed. Try again.';

/**
 * The AI SDK's UI message stream, version 1, as server-sent events. A failure is its error part. No comments keep it
 * alive: between two deltas there is less silence than any proxy cuts off.
 */
export const uiMessageStreamEncoder: StreamEncoder = {
  headers: { 'Content-Type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1', ...UNBUFFERED },
  pieces: (reply) => eventsOf(reply),
};

const TEXT_ID = 'text';
const DONE = 'data: [DONE]\n\n';
const part = (type: string, members: Record<string, unknown> = {}) =>
  `data: ${JSON.stringify({ type, ...members })}\n\n`;
const delta = (text: string) => part('text-delta', { id: TEXT_ID, delta: text });

async function* eventsOf({ first, deltas, metadata, requestId }: StartedStreamingResponse): AsyncGenerator<string> {
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
    // Whoever made the deltas has said why; the reader learns that they ended too early.
    yield part('error', { errorText: BROKEN_OFF }) + DONE;
    return;
  }
  yield part('text-end', { id: TEXT_ID }) + part('finish', { finishReason: next.value }) + DONE;
}
