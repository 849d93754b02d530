import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import S3rver from 's3rver';
import { isLoopbackHost, MISDIRECTED_REQUEST } from '../common/loopback-host.ts';
import { CREDENTIALS } from '../runtime/environment.ts';
import { conditionalCopy } from './conditional-copy.ts';
import { postObject } from './post-object.ts';

const WRITE_CHECKS_MAX = 2_000;

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
    rejectForeignHost,
    postObject(server.store, CREDENTIALS.secretAccessKey),
    conditionalCopy(server.store),
    listNoVersions,
  );
  return (await server.run()).port;
}

const rejectForeignHost: S3rver['middleware'][number] = async (context, next) => {
  if (isLoopbackHost(context.req)) return next();
  context.status = MISDIRECTED_REQUEST.status;
  context.body = MISDIRECTED_REQUEST.message;
};

const EMPTY_VERSION_LIST =
  '<ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated></ListVersionsResult>';

/** Responds to ListObjectVersions with an empty list, because s3rver keeps no versions and would reject the request. */
const listNoVersions: S3rver['middleware'][number] = async (context, next) => {
  const { searchParams } = new URL(context.req.url ?? '', 'http://store');
  if (context.method !== 'GET' || !searchParams.has('versions')) return next();
  context.status = 200;
  context.type = 'application/xml';
  context.body = EMPTY_VERSION_LIST;
};

/**
 * Delays the response to a PUT until the file has its full size. s3rver itself responds earlier. Then, a read could get
 * a partial object, and a kill could lose an acknowledged object.
 */
export function respondAfterWriting(store: S3rver['store']): void {
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    const stored = await put(object);
    const file = store.getResourcePath(object.bucket, object.key, 'object');
    for (let check = 0; (await readSize(file)) !== stored.size; check++) {
      if (check === WRITE_CHECKS_MAX)
        throw new Error(`s3rver did not finish writing the object ${object.bucket}/${object.key} in time.`);
      await delay(1);
    }
    return stored;
  };
}

/** Returns undefined if the file does not exist yet. */
const readSize = async (file: string): Promise<number | undefined> => (await stat(file).catch(() => undefined))?.size;
