import type { IncomingMessage } from 'node:http';

const EMPTY = Buffer.alloc(0);
/**
 * Smaller buffers are not released. They may share their memory with other buffers, and releasing them would save
 * little.
 */
const RELEASED_BYTES_MIN = 4_096;

/**
 * Frees the memory of a large buffer immediately. The buffer is empty afterwards. The garbage collector would free the
 * memory only after many more megabytes of garbage, and would delay a running request.
 */
export function releaseBuffer({ buffer, length }: Buffer): void {
  if (length < RELEASED_BYTES_MIN || buffer.byteLength !== length || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}

/**
 * Returns the whole body. Returns `too-large` as soon as the announced or the received length exceeds the limit, and
 * `aborted` if the client disconnects before the end of the body.
 */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | 'too-large' | 'aborted'> {
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
    request.once('close', () => resolve('aborted'));
    request.once('error', () => resolve('aborted'));
  });
}
