import type { IncomingMessage } from 'node:http';

/** A request's body as text. Undefined when it is larger than `bytesMax`; it is read to its end all the same. */
export async function readBodyText(request: IncomingMessage, bytesMax: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  }
  return bytes > bytesMax ? undefined : Buffer.concat(chunks).toString();
}
