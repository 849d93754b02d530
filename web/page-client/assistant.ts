import type { ReplyOptions, ReplyOutcome } from './assistant.d.mts';
import { createEventStreamParser } from './event-stream.ts';
import type { Funnel } from './funnel.d.mts';
import { retry } from './retry.ts';
import { parseRetryAfter } from './transport.ts';

const ATTEMPTS_MAX = 3;
/** After this time without bytes, the client ends a stream. The service ends a silent stream sooner. */
const SILENCE_MS = 30_000;

/** A part of the AI SDK's UI message stream. */
type StreamPart = { type: string; delta?: string; finishReason?: string };

/** `isFinal`: do not retry, because a retry would have the same outcome or show text twice. */
type AttemptResult = { outcome: ReplyOutcome; isFinal: boolean; retryAfterMs: number };

type CutOffReason = Extract<ReplyOutcome, { status: 'cut-off' }>['reason'];

const UNREACHABLE: AttemptResult = { outcome: { status: 'unreachable' }, isFinal: false, retryAfterMs: 0 };

/** See `assistant.d.mts`. */
export async function streamReply(funnel: Funnel, { prompt, signal, onText }: ReplyOptions): Promise<ReplyOutcome> {
  const url = funnel.urlOf('/api/v2/public/funnel/{id}/ai-stream');
  const attempt = () => readReply(url, prompt, signal, onText);
  const result = await retry(attempt, { isFinal: ({ isFinal }) => isFinal, attemptsMax: ATTEMPTS_MAX, signal });
  if (signal?.aborted && result?.outcome.status !== 'complete') return { status: 'aborted' };
  return result?.outcome ?? UNREACHABLE.outcome;
}

async function readReply(
  url: string,
  prompt: string,
  signal: AbortSignal | undefined,
  onText: (text: string) => void,
): Promise<AttemptResult> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let silence = setTimeout(abort, SILENCE_MS);
  const restartSilence = () => {
    clearTimeout(silence);
    silence = setTimeout(abort, SILENCE_MS);
  };
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    const response = await fetch(url, {
      method: 'POST',
      // Asks for an event stream, because plain text would not tell how the reply ended.
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify({ prompt }),
      credentials: 'omit',
      signal: controller.signal,
    }).catch(() => undefined);
    if (!response?.body) return UNREACHABLE;
    if (!response.ok) return await readError(response);
    // The login page of a network also has status 200. It is not shown, because it contains no events.
    return await readText(partsOf(response.body, restartSilence), signal, onText);
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', abort);
    // Ends the request, if it has not ended.
    abort();
  }
}

async function readError(response: Response): Promise<AttemptResult> {
  const { error } = await response.json().catch(() => ({}));
  if (!error?.message) return UNREACHABLE;
  const { status, headers } = response;
  const retryAfterMs = parseRetryAfter(headers.get('Retry-After'));
  return {
    // The 502 of a failed model has no error code, so the page gets `service_unavailable`.
    outcome: { status: 'rejected', code: error.code ?? 'service_unavailable', message: error.message, retryAfterMs },
    isFinal: status !== 429 && status <= 500,
    retryAfterMs,
  };
}

async function readText(
  parts: AsyncIterator<StreamPart>,
  signal: AbortSignal | undefined,
  onText: (text: string) => void,
): Promise<AttemptResult> {
  let hasText = false;
  const cutOff = (reason: CutOffReason): AttemptResult =>
    hasText ? { outcome: { status: 'cut-off', reason }, isFinal: true, retryAfterMs: 0 } : UNREACHABLE;
  for (;;) {
    const next = await parts.next().catch(() => undefined);
    // After an abort, the last chunk can still contain parts, which must not be shown.
    if (!next || next.done || signal?.aborted) return cutOff('connection');
    const { type, delta, finishReason } = next.value;
    if (type === 'error') return cutOff('model');
    if (type === 'finish' && finishReason === 'stop')
      return { outcome: { status: 'complete' }, isFinal: true, retryAfterMs: 0 };
    if (type === 'finish')
      return cutOff(finishReason === 'length' || finishReason === 'content-filter' ? finishReason : 'other');
    if (type !== 'text-delta' || !delta) continue;
    hasText = true;
    onText(delta);
  }
}

/** @throws if the connection is lost, or the stream is not valid */
async function* partsOf(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<StreamPart> {
  const parts: StreamPart[] = [];
  const feed = createEventStreamParser((data) => {
    if (data !== '[DONE]') parts.push(JSON.parse(data));
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    feed(decoder.decode(value, { stream: true }));
    yield* parts.splice(0);
  }
}
