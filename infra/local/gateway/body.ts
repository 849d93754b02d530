import type { IncomingMessage } from 'node:http';

const EMPTY = Buffer.alloc(0);

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
    request.once('end', () => resolve(Buffer.concat(chunks, bytes)));
    request.once('close', () => resolve('gone'));
    request.once('error', () => resolve('gone'));
  });
}
