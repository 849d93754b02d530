import { Busboy } from '@fastify/busboy';
import type S3rver from 's3rver';
import { validatePostPolicy } from './post-policy.ts';
import { sendS3Response } from './response.ts';

type Middleware = S3rver['middleware'][number];
type Context = Parameters<Middleware>[0];
type Posted = { fields: ReadonlyMap<string, string>; file: Buffer };

/** As large as the largest block takes, and a little. */
const BODY_BYTES_MAX = 128 * 1024 * 1024;

/**
 * A browser's POST to a bucket as S3 takes it: s3rver stores whatever is posted, whatever its policy says. Pages of
 * any origin may post, as the deployed bucket's CORS rule lets them.
 */
export const postObject =
  (store: S3rver['store'], secretAccessKey: string): Middleware =>
  async (context, next) => {
    const [, bucket = '', key] = context.path.split('/');
    if (!['POST', 'OPTIONS'].includes(context.method) || key || context.req.url?.includes('?')) return next();
    context.set('Access-Control-Allow-Origin', '*');
    context.set('Access-Control-Allow-Methods', 'POST');
    context.set('Access-Control-Allow-Headers', '*');
    if (context.method === 'OPTIONS') return sendS3Response(context, 200);
    const posted = await readPost(context).catch(() => undefined);
    if (posted === undefined) return sendS3Response(context, 400, 'MalformedPOSTRequest');
    const { fields, file } = posted;
    // S3 goes by where it is posted to, not by what the form says of it.
    const verdict = validatePostPolicy(new Map([...fields, ['bucket', bucket]]), secretAccessKey, Date.now());
    if ('fault' in verdict)
      return sendS3Response(context, 403, 'AccessDenied', `Invalid according to Policy: ${verdict.fault}`);
    if (file.length > verdict.bytesMax) return sendS3Response(context, 400, 'EntityTooLarge');
    if (file.length < verdict.bytesMin) return sendS3Response(context, 400, 'EntityTooSmall');
    const metadata = { 'content-type': fields.get('content-type') ?? 'binary/octet-stream' };
    await store.putObject({ bucket, key: fields.get('key') ?? '', content: file, metadata });
    return sendS3Response(context, 204);
  };

/** The fields before the file, and the file; S3 ignores what comes behind it. */
function readPost({ req }: Context): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    const chunks: Buffer[] = [];
    let hasFile = false;
    const form = new Busboy({
      headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
      limits: { files: 1, fileSize: BODY_BYTES_MAX },
    });
    form.on('field', (name, value) => {
      if (!hasFile) fields.set(name.toLowerCase(), value);
    });
    form.on('file', (_name, stream) => {
      hasFile = true;
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('limit', () => reject(new Error('The file is too large.')));
      stream.once('error', reject);
    });
    form.once('error', reject);
    form.once('finish', () =>
      hasFile ? resolve({ fields, file: Buffer.concat(chunks) }) : reject(new Error('No file.')),
    );
    req.once('aborted', () => reject(new Error('The client has gone.')));
    req.pipe(form);
  });
}
