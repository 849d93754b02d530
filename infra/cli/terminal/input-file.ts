import { open } from 'node:fs/promises';
import { notReadable } from '../../common/user-error.ts';
import { FILE_BYTES_MAX } from '../json-document/parse.ts';

/**
 * What a file holds that a person writes: no more than a byte over what is taken is read, whatever the file is.
 *
 * @throws FriendlyError when it can not be read
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
