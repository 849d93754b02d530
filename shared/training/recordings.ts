import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CallIds } from './call.ts';
import { recordingKey } from './object-keys.ts';
import type { RecordingStore, VoiceProvider } from './ports.ts';
import { RecordingTooLargeError } from './voice-provider-errors.ts';

/** About ten hours of speech. A recording must fit into the temporary folder of a function, which holds 512 MB. */
export const RECORDING_BYTES_MAX = 300 * 1024 * 1024;

const TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg', bin: 'application/octet-stream' } as const;
type Extension = keyof typeof TYPES;

/** Common media types of each format, including unregistered ones. */
const MEDIA_TYPES: Record<Exclude<Extension, 'bin'>, RegExp> = {
  mp3: /^audio\/(?:mpeg3?|mp3)$/,
  wav: /^audio\/(?:wave?|x-wav|vnd\.wave)$/,
  ogg: /^(?:audio\/(?:ogg|opus)|application\/ogg)$/,
};

export type RecordingPorts = { voice: Pick<VoiceProvider, 'fetchRecording'>; recordings: RecordingStore };

/**
 * Copies a call's recording from the provider to the bucket. First writes the recording to a temporary file, because S3
 * needs the length before the content and memory may be too small. Can be repeated.
 *
 * @param timeoutMs time limit for reading and storing the content, counted from the start of this function. The request
 *   to the provider has a time limit of its own, in `fetchRecording`.
 * @returns the key; undefined while there is no recording
 * @throws RecordingTooLargeError, VoiceProviderError, or Error after the time limit or when the recording can't be
 *   stored
 */
export async function storeRecording(
  { voice, recordings }: RecordingPorts,
  call: CallIds & { conversationId: string },
  timeoutMs: number,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  const file = await openUnlinkedFile();
  try {
    const recording = await voice.fetchRecording(call.conversationId);
    const bytes = recording === undefined ? 0 : await saveToFile(recording.content, file, signal);
    if (recording === undefined || bytes === 0) return undefined;
    const extension = extensionOf(recording.contentType);
    const key = recordingKey(call, extension);
    await sendFile(file, (content, readError) =>
      recordings.put(key, { content, bytes, contentType: TYPES[extension] }, AbortSignal.any([signal, readError])),
    );
    return key;
  } finally {
    await file.close();
  }
}

/**
 * Opens a temporary file without a name. Its disk space is freed when it is closed, or when the process ends or
 * crashes.
 */
async function openUnlinkedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `recording-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** @returns the number of bytes */
async function saveToFile(content: Readable, file: FileHandle, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  const save = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > RECORDING_BYTES_MAX) throw new RecordingTooLargeError();
      await file.writeFile(chunk);
    }
  };
  await pipeline(content, save, { signal });
  return bytes;
}

/**
 * Calls `send` with a stream of the file. The S3 client does not notice errors of the stream. Therefore aborts the
 * signal `readError` if the file cannot be read.
 */
async function sendFile(
  file: FileHandle,
  send: (content: Readable, readError: AbortSignal) => Promise<void>,
): Promise<void> {
  const readError = new AbortController();
  const content = file.createReadStream({ start: 0, autoClose: false });
  content.once('error', (cause) => readError.abort(cause));
  try {
    await send(content, readError.signal);
  } finally {
    content.destroy();
    // Without this, `file.close()` resolves before the file is closed, if the stream closes at the same time.
    if (!content.closed) await once(content, 'close');
  }
}

function extensionOf(contentType: string): Extension {
  const type = contentType.replace(/;.*$/s, '').trim().toLowerCase();
  const { mp3, wav, ogg } = MEDIA_TYPES;
  if (mp3.test(type)) return 'mp3';
  if (wav.test(type)) return 'wav';
  return ogg.test(type) ? 'ogg' : 'bin';
}
