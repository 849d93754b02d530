import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import S3rver from 's3rver';
import { isLoopbackHost, MISDIRECTED_REQUEST } from '../common/loopback-host.ts';
import { CREDENTIALS } from '../runtime/environment.ts';
import { conditionalCopy } from './conditional-copy.ts';
import { postObject } from './post-object.ts';
import { emptyVersionList } from './version-list.ts';

const ATTEMPTS = 2_000;

/** Starts the S3 stand-in over a folder, with these buckets. @returns its port on 127.0.0.1 */
export async function startObjectStore(directory: string, ...buckets: readonly string[]): Promise<number> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory,
    silent: true,
    allowMismatchedSignatures: true,
    vhostBuckets: false,
    configureBuckets: buckets.map((name) => ({ name })),
  });
  respondAfterWriting(server.store);
  server.middleware.unshift(
    ownHostOnly,
    postObject(server.store, CREDENTIALS.secretAccessKey),
    conditionalCopy(server.store),
    emptyVersionList,
  );
  return (await server.run()).port;
}

const ownHostOnly: S3rver['middleware'][number] = async (context, next) => {
  if (isLoopbackHost(context.req)) return next();
  context.status = MISDIRECTED_REQUEST.status;
  context.body = MISDIRECTED_REQUEST.message;
};

/**
 * s3rver answers a PUT when it has read the body, while the file is still being written: a reader right behind sees a
 * torn object, and a kill loses an acknowledged one. So the answer waits until the file has its size.
 */
export function respondAfterWriting(store: S3rver['store']): void {
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    const stored = await put(object);
    const file = store.getResourcePath(object.bucket, object.key, 'object');
    for (let attempt = 0; (await sizeOf(file)) !== stored.size; attempt++) {
      if (attempt === ATTEMPTS) throw new Error(`The object ${object.key} could not be written.`);
      await delay(1);
    }
    return stored;
  };
}

/** It may not have been made yet. */
const sizeOf = async (file: string): Promise<number | undefined> => (await stat(file).catch(() => undefined))?.size;
