import { Readable } from 'node:stream';
import { RECORDING_BYTES_MAX, type Recording, RecordingTooLargeError, VoiceProviderError } from '../voice-provider.ts';
import { type SendRequest, toConnectionError, toResponseError } from './http-client.ts';

/** No such conversation, or no sound of it yet. */
const NOT_THERE = new Set([404, 409, 425]);
const SOUND = /^(?:audio\/[\w.+-]+|application\/octet-stream)\s*(?:;|$)/i;

/** What is heard of a call, as it comes. @param idleMs how long the first byte, and each next one, may take */
export async function fetchRecording(ask: SendRequest, path: string, idleMs: number): Promise<Recording | undefined> {
  const patience = createIdleTimeout(idleMs);
  const answer = await ask({ path, accept: 'audio/*', signal: patience.signal }).finally(patience.pause);
  const { status, headers, body } = answer;
  const bytes = Number(headers.get('content-length') ?? Number.NaN);
  if (NOT_THERE.has(status) || (status === 200 && (body === null || bytes === 0))) {
    await body?.cancel();
    return undefined;
  }
  const contentType = headers.get('content-type') ?? '';
  if (status !== 200 || body === null) throw await toResponseError(answer);
  if (!SOUND.test(contentType) || bytes > RECORDING_BYTES_MAX) {
    patience.leave();
    throw bytes > RECORDING_BYTES_MAX
      ? new RecordingTooLargeError()
      : new VoiceProviderError('The voice provider answered no sound.');
  }
  return { content: limitStream(body, patience), contentType };
}

type IdleTimeout = ReturnType<typeof createIdleTimeout>;

/** Ends a request that keeps us waiting; how long its reader takes is not its fault. */
function createIdleTimeout(idleMs: number) {
  const controller = new AbortController();
  const begin = () => setTimeout(() => controller.abort(new DOMException('Idle', 'TimeoutError')), idleMs);
  let timer = begin();
  return {
    signal: controller.signal,
    pause: () => clearTimeout(timer),
    begin: () => {
      timer = begin();
    },
    leave: () => controller.abort(),
  };
}

/** The same bytes, until they are too many, too slow, or end before they should. @throws VoiceFailure in the stream */
function limitStream(body: ReadableStream<Uint8Array>, patience: IdleTimeout): Readable {
  const reader = body.getReader();
  let bytes = 0;
  const next = async (): Promise<Uint8Array | null> => {
    patience.begin();
    const { done, value } = await reader.read().finally(patience.pause);
    if (done) return null;
    bytes += value.length;
    if (bytes > RECORDING_BYTES_MAX) throw new RecordingTooLargeError();
    return value;
  };
  return new Readable({
    read() {
      next().then(
        (chunk) => this.push(chunk),
        (error: unknown) => this.destroy(error instanceof VoiceProviderError ? error : toConnectionError(error)),
      );
    },
    destroy(error, done) {
      patience.pause();
      patience.leave();
      done(error);
    },
  });
}
