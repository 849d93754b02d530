import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../common/user-error.ts';

const POLL_MS = 200;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Yields the lines that are appended to a file, and continues with the new file when the file is replaced. Waits for a
 * file that does not exist yet.
 *
 * @param fromByte position in the current file
 */
export async function* followFile(file: string, fromByte: number, signal: AbortSignal): AsyncGenerator<string> {
  let position = fromByte;
  while (!signal.aborted) {
    const size = await sizeOf(file);
    // The file was replaced by an empty one.
    if (size < position) position = 0;
    const bytes = await readRange(file, position, Math.min(size - position, CHUNK_BYTES));
    const end = bytes.lastIndexOf('\n') + 1;
    if (end > 0) {
      position += end;
      yield* bytes
        .subarray(0, end - 1)
        .toString()
        .split('\n');
    } else if (bytes.length === CHUNK_BYTES) {
      // A line of this length is none of ours.
      position += bytes.length;
    } else await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Size in bytes; 0 for a file that does not exist. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

async function readRange(file: string, position: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
