import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CallIds } from './call.ts';
import { recordingKey } from './object-keys.ts';
import { RECORDING_BYTES_MAX, RecordingTooLargeError, type VoiceProvider } from './voice-provider.ts';

const TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg', bin: 'application/octet-stream' } as const;
type Extension = keyof typeof TYPES;

/** The media types under which sound goes. */
const MEDIA_TYPES: Record<Exclude<Extension, 'bin'>, RegExp> = {
  mp3: /^audio\/(?:mpeg3?|mp3)$/,
  wav: /^audio\/(?:wave?|x-wav|vnd\.wave)$/,
  ogg: /^(?:audio\/(?:ogg|opus)|application\/ogg)$/,
};

/** The bytes of a recording, and how many there are. */
type RecordingContent = { content: Readable; bytes: number; contentType: string };

export type RecordingStore = {
  put(key: string, sound: RecordingContent, signal: AbortSignal): Promise<void>;
};

export type RecordingPorts = { voice: Pick<VoiceProvider, 'recording'>; recordings: RecordingStore };

/**
 * Fetches a call's recording from the provider and keeps it, by way of a file without a name in the temporary folder:
 * the bucket wants to know its length first, no memory holds it, and nothing is left of it, also after a crash. Doing
 * it again puts the same in the same place.
 *
 * @param timeMs all that it may take, but for the provider's first answer, whose time the port bounds
 * @returns its key; undefined while there is none @throws RecordingTooLarge, another VoiceFailure, or Error when it is too slow or not kept
 */
export async function storeRecording(
  { voice, recordings }: RecordingPorts,
  call: CallIds & { conversationId: string },
  timeMs: number,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeMs);
  const file = await openUnlinkedFile();
  try {
    const recording = await voice.recording(call.conversationId);
    const bytes = recording === undefined ? 0 : await saveToFile(recording.content, file, signal);
    if (recording === undefined || bytes === 0) return undefined;
    const extension = extensionOf(recording.contentType);
    const key = recordingKey(call, extension);
    await sendFile(file, (content, until) =>
      recordings.put(key, { content, bytes, contentType: TYPES[extension] }, AbortSignal.any([signal, until])),
    );
    return key;
  } finally {
    await file.close();
  }
}

/** Its space is free again as soon as it is closed, which the end of the process does too. */
async function openUnlinkedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `recording-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** @returns how many bytes there are */
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

/** The file from its beginning. What reads it may leave it in the middle; and does not hear of its failure by itself. */
async function sendFile(
  file: FileHandle,
  send: (content: Readable, until: AbortSignal) => Promise<void>,
): Promise<void> {
  const unreadable = new AbortController();
  const content = file.createReadStream({ start: 0, autoClose: false });
  content.once('error', (cause) => unreadable.abort(cause));
  try {
    await send(content, unreadable.signal);
  } finally {
    content.destroy();
  }
}

function extensionOf(contentType: string): Extension {
  const type = contentType.replace(/;.*$/s, '').trim().toLowerCase();
  const { mp3, wav, ogg } = MEDIA_TYPES;
  if (mp3.test(type)) return 'mp3';
  if (wav.test(type)) return 'wav';
  return ogg.test(type) ? 'ogg' : 'bin';
}
