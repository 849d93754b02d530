import type { IncomingMessage } from 'node:http';

const EMPTY = Buffer.alloc(0);
/** Smaller ones may share their memory, and are not worth it. */
const RELEASED_BYTES_MIN = 4_096;

/**
 * Gives the memory of bytes back that nobody needs any more, at once. The collector would come by when many megabytes have
 * piled up, and whichever request is under way then waits for it.
 */
export function releaseBuffer({ buffer, length }: Buffer): void {
  if (length < RELEASED_BYTES_MIN || buffer.byteLength !== length || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}

/** The whole body, `too-large` as soon as that is known, or `gone` when the client left before its end. */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | 'too-large' | 'gone'> {
  const { 'content-length': announced, 'transfer-encoding': encoding } = request.headers;
  if (announced === undefined && encoding === undefined) return Promise.resolve(EMPTY);
  if (Number(announced) > bytesMax) return Promise.resolve('too-large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) resolve('too-large');
      else chunks.push(chunk);
    });
    request.once('end', () => {
      resolve(Buffer.concat(chunks, bytes));
      for (const chunk of chunks.splice(0)) releaseBuffer(chunk);
    });
    request.once('close', () => resolve('gone'));
    request.once('error', () => resolve('gone'));
  });
}
