import { Busboy } from '@fastify/busboy';
import type S3rver from 's3rver';
import { validatePostPolicy } from './post-policy.ts';
import { sendS3Response } from './response.ts';

type Middleware = S3rver['middleware'][number];
type Context = Parameters<Middleware>[0];
type PostedForm = { fields: ReadonlyMap<string, string>; file: Buffer };

/** More than the largest file that an upload block accepts (100 MiB). */
const FILE_BYTES_MAX = 128 * 1024 * 1024;

/**
 * Implements PostObject, the upload of a file with a form in a browser. s3rver itself ignores the form's policy. Pages
 * of any origin may upload, as the CORS rule of the deployed bucket allows.
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
    const form = await parseForm(context).catch(() => undefined);
    if (form === undefined) return sendS3Response(context, 400, 'MalformedPOSTRequest');
    const { fields, file } = form;
    // S3 uses the bucket of the URL, not a field of the form.
    const result = validatePostPolicy(new Map([...fields, ['bucket', bucket]]), secretAccessKey, Date.now());
    if ('violation' in result) {
      return sendS3Response(context, 403, 'AccessDenied', `Invalid according to Policy: ${result.violation}`);
    }
    if (file.length > result.bytesMax) return sendS3Response(context, 400, 'EntityTooLarge');
    if (file.length < result.bytesMin) return sendS3Response(context, 400, 'EntityTooSmall');
    const metadata = { 'content-type': fields.get('content-type') ?? 'binary/octet-stream' };
    await store.putObject({ bucket, key: fields.get('key') ?? '', content: file, metadata });
    return sendS3Response(context, 204);
  };

/** Parses the file and the fields before it. Ignores fields after the file, as S3 does. */
function parseForm({ req }: Context): Promise<PostedForm> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    const chunks: Buffer[] = [];
    let hasFile = false;
    const parser = new Busboy({
      headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
      limits: { files: 1, fileSize: FILE_BYTES_MAX },
    });
    parser.on('field', (name, value) => {
      if (!hasFile) fields.set(name.toLowerCase(), value);
    });
    parser.on('file', (_name, stream) => {
      hasFile = true;
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('limit', () => reject(new Error(`The file has more than ${FILE_BYTES_MAX} bytes.`)));
      stream.once('error', reject);
    });
    parser.once('error', reject);
    parser.once('finish', () =>
      hasFile ? resolve({ fields, file: Buffer.concat(chunks) }) : reject(new Error('The form contains no file.')),
    );
    req.once('aborted', () => reject(new Error('The client disconnected.')));
    req.pipe(parser);
  });
}
