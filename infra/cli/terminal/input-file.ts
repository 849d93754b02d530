import { open } from 'node:fs/promises';
import { notReadable } from '../../common/user-error.ts';
import { FILE_BYTES_MAX } from '../json-document/parse.ts';

/**
 * Reads a file that a user wrote. Reads at most `FILE_BYTES_MAX + 1` bytes, so that the caller detects larger files.
 *
 * @throws UserError if the file cannot be read
 */
export async function readInputFile(path: string): Promise<Buffer> {
  const bytes = Buffer.alloc(FILE_BYTES_MAX + 1);
  try {
    await using file = await open(path);
    for (let length = 0; ; ) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes.length) return bytes.subarray(0, length);
    }
  } catch (cause) {
    throw notReadable(path, cause);
  }
}
