import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type S3rver from 's3rver';
import { sendS3Response } from './response.ts';

type Store = S3rver['store'];
type Middleware = S3rver['middleware'][number];

/**
 * A copy within the store under conditions, as S3 makes it: s3rver copies whatever they say. One after the other, and of
 * exactly the bytes that the condition was true for.
 */
export function conditionalCopy(store: Store): Middleware {
  let last: Promise<unknown> = Promise.resolve();
  return async (context, next) => {
    const { headers } = context.req;
    const from = headers['x-amz-copy-source'];
    const wanted = headers['x-amz-copy-source-if-match'];
    if (context.method !== 'PUT' || typeof from !== 'string' || typeof wanted !== 'string') return next();
    const metadata = { 'content-type': headers['content-type'] ?? 'binary/octet-stream' };
    const onlyNew = headers['if-none-match'] === '*';
    const asked = { from: placeIn(from), to: placeIn(context.path), wanted, onlyNew, metadata };
    const work = () => copy(store, asked);
    const turn = last.then(work, work);
    last = turn;
    const copied = await turn;
    if ('fault' in copied) return sendS3Response(context, copied.status, copied.fault);
    context.status = 200;
    context.type = 'application/xml';
    context.body = `<CopyObjectResult><LastModified>${new Date().toISOString()}</LastModified><ETag>"${copied.md5}"</ETag></CopyObjectResult>`;
  };
}

type Place = { bucket: string; key: string };
type Copy = { from: Place; to: Place; wanted: string; onlyNew: boolean; metadata: Record<string, string> };
type Copied = { md5: string } | { status: number; fault: string };

async function copy(store: Store, { from, to, wanted, onlyNew, metadata }: Copy): Promise<Copied> {
  const content = await orAbsent(readFile(pathOf(store, from)));
  if (content === undefined) return { status: 404, fault: 'NoSuchKey' };
  // One of another size was torn by a kill, and never answered for.
  const standing = onlyNew ? await orAbsent(stat(pathOf(store, to))) : undefined;
  const isOther = `"${createHash('md5').update(content).digest('hex')}"` !== wanted;
  if (isOther || standing?.size === content.length) return { status: 412, fault: 'PreconditionFailed' };
  return store.putObject({ ...to, content, metadata });
}

const pathOf = (store: Store, { bucket, key }: Place): string => store.getResourcePath(bucket, key, 'object');

function placeIn(path: string): Place {
  const [bucket = '', ...key] = decodeURI(path).replace(/^\//, '').split('/');
  return { bucket, key: key.join('/') };
}

const orAbsent = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
