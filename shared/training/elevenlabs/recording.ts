import { Readable } from 'node:stream';
import type { Recording } from '../ports.ts';
import { RECORDING_BYTES_MAX } from '../recordings.ts';
import { RecordingTooLargeError, VoiceProviderError } from '../voice-provider-errors.ts';
import { type SendRequest, toConnectionError, toResponseError } from './http-client.ts';

/** Statuses for an unknown conversation, and for a recording that does not exist yet. */
const NO_RECORDING_STATUSES = new Set([404, 409, 425]);
const AUDIO = /^(?:audio\/[\w.+-]+|application\/octet-stream)\s*(?:;|$)/i;

/**
 * Fetches a recording as a stream. Returns undefined if there is none, or none yet.
 *
 * @param idleMs time limit for the headers of the response, and for each chunk of its body
 * @throws VoiceProviderError; the stream can also fail with it
 */
export async function fetchRecording(send: SendRequest, path: string, idleMs: number): Promise<Recording | undefined> {
  const idle = createIdleTimeout(idleMs);
  const response = await send({ path, accept: 'audio/*', signal: idle.signal }).finally(idle.pause);
  const { status, headers, body } = response;
  const bytes = Number(headers.get('content-length') ?? Number.NaN);
  if (NO_RECORDING_STATUSES.has(status) || (status === 200 && (body === null || bytes === 0))) {
    await body?.cancel();
    return undefined;
  }
  const contentType = headers.get('content-type') ?? '';
  if (status !== 200 || body === null) throw await toResponseError(response);
  if (!AUDIO.test(contentType) || bytes > RECORDING_BYTES_MAX) {
    idle.abort();
    throw bytes > RECORDING_BYTES_MAX
      ? new RecordingTooLargeError()
      : new VoiceProviderError(
          `The response of the voice provider is not audio. Its Content-Type is "${contentType}".`,
        );
  }
  return { content: limitStream(body, idle), contentType };
}

type IdleTimeout = ReturnType<typeof createIdleTimeout>;

/**
 * Aborts a request when the provider sends nothing for `idleMs`. The timer runs only while a read from the provider is
 * pending.
 */
function createIdleTimeout(idleMs: number) {
  const controller = new AbortController();
  const start = () => setTimeout(() => controller.abort(new DOMException('Idle', 'TimeoutError')), idleMs);
  let timer = start();
  return {
    signal: controller.signal,
    pause: () => clearTimeout(timer),
    resume: () => {
      timer = start();
    },
    abort: () => controller.abort(),
  };
}

/** The returned stream fails with VoiceProviderError when the body is too large, too slow or incomplete. */
function limitStream(body: ReadableStream<Uint8Array>, idle: IdleTimeout): Readable {
  const reader = body.getReader();
  let bytes = 0;
  const readChunk = async (): Promise<Uint8Array | null> => {
    idle.resume();
    const { done, value } = await reader.read().finally(idle.pause);
    if (done) return null;
    bytes += value.length;
    if (bytes > RECORDING_BYTES_MAX) throw new RecordingTooLargeError();
    return value;
  };
  return new Readable({
    read() {
      readChunk().then(
        (chunk) => this.push(chunk),
        (error: unknown) => this.destroy(error instanceof VoiceProviderError ? error : toConnectionError(error)),
      );
    },
    destroy(error, done) {
      idle.pause();
      idle.abort();
      done(error);
    },
  });
}
