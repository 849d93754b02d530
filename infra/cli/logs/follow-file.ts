import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../common/user-error.ts';

const POLL_MS = 200;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Yields the lines that are appended to a file. If a new file replaces the file, yields the rest of the old file, and
 * then the lines of the new file. Waits for a file that does not exist yet.
 *
 * @param fromByte start position in the current file
 */
export async function* followFile(file: string, fromByte: number, signal: AbortSignal): AsyncGenerator<string> {
  let position = fromByte;
  while (!signal.aborted) {
    const handle = await openIfExists(file);
    if (handle === undefined) await pause(signal);
    else {
      yield* followHandle(handle, position, () => isReplaced(file, handle), signal);
      await handle.close();
    }
    position = 0;
  }
}

/** Yields the lines of an open file until the file has been replaced and read to its end. */
async function* followHandle(
  handle: FileHandle,
  fromByte: number,
  wasReplaced: () => Promise<boolean>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let position = fromByte;
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let isLast = false; !signal.aborted; ) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
    if (end > 0) {
      position += end;
      yield* buffer
        .subarray(0, end - 1)
        .toString()
        .split('\n');
    } else if (bytesRead === CHUNK_BYTES) {
      // The whole buffer is a part of one line. Skips this part, because the service writes no line that is so long.
      position += bytesRead;
    } else if (isLast) {
      return;
    } else {
      await pause(signal);
      // After a replacement, the loop reads the old file again, because lines may have been added since the last read.
      isLast = await wasReplaced();
    }
  }
}

async function openIfExists(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function isReplaced(file: string, handle: FileHandle): Promise<boolean> {
  const [opened, current] = await Promise.all([handle.stat(), stat(file).catch(() => undefined)]);
  return current !== undefined && current.ino !== opened.ino;
}

const pause = (signal: AbortSignal): Promise<unknown> => delay(POLL_MS, undefined, { signal }).catch(() => undefined);
