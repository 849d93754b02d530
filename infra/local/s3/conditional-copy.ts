import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type S3rver from 's3rver';
import { sendS3Response } from './response.ts';

type Store = S3rver['store'];
type Middleware = S3rver['middleware'][number];

/**
 * Implements CopyObject with the condition `x-amz-copy-source-if-match`, alone or together with `If-None-Match: *`,
 * because s3rver ignores these conditions. The copies run one after another. Otherwise, one of them could change an
 * object after another has checked its conditions.
 */
export function conditionalCopy(store: Store): Middleware {
  let previous: Promise<unknown> = Promise.resolve();
  return async (context, next) => {
    const { headers } = context.req;
    const source = headers['x-amz-copy-source'];
    const etag = headers['x-amz-copy-source-if-match'];
    if (context.method !== 'PUT' || typeof source !== 'string' || typeof etag !== 'string') return next();
    const metadata = { 'content-type': headers['content-type'] ?? 'binary/octet-stream' };
    const ifNoneMatch = headers['if-none-match'] === '*';
    const request = { from: parsePath(source), to: parsePath(context.path), etag, ifNoneMatch, metadata };
    const run = () => copy(store, request);
    const current = previous.then(run, run);
    previous = current;
    const result = await current;
    if ('errorCode' in result) return sendS3Response(context, result.status, result.errorCode);
    context.status = 200;
    context.type = 'application/xml';
    const lastModified = `<LastModified>${new Date().toISOString()}</LastModified>`;
    context.body = `<CopyObjectResult>${lastModified}<ETag>"${result.md5}"</ETag></CopyObjectResult>`;
  };
}

type ObjectPath = { bucket: string; key: string };
type CopyRequest = {
  from: ObjectPath;
  to: ObjectPath;
  etag: string;
  ifNoneMatch: boolean;
  metadata: Record<string, string>;
};
type CopyResult = { md5: string } | { status: number; errorCode: string };

async function copy(store: Store, { from, to, etag, ifNoneMatch, metadata }: CopyRequest): Promise<CopyResult> {
  const content = await undefinedIfMissing(readFile(filePath(store, from)));
  if (content === undefined) return { status: 404, errorCode: 'NoSuchKey' };
  const hasChanged = `"${createHash('md5').update(content).digest('hex')}"` !== etag;
  const existing = ifNoneMatch ? await undefinedIfMissing(stat(filePath(store, to))) : undefined;
  // An existing file of another size is taken for a copy that a kill interrupted. That copy was not acknowledged, so
  // its file may be replaced.
  if (hasChanged || existing?.size === content.length) return { status: 412, errorCode: 'PreconditionFailed' };
  return store.putObject({ ...to, content, metadata });
}

const filePath = (store: Store, { bucket, key }: ObjectPath): string => store.getResourcePath(bucket, key, 'object');

function parsePath(path: string): ObjectPath {
  const [bucket = '', ...key] = decodeURI(path).replace(/^\//, '').split('/');
  return { bucket, key: key.join('/') };
}

const undefinedIfMissing = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
