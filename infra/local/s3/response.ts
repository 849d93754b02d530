import type S3rver from 's3rver';

type Context = Parameters<S3rver['middleware'][number]>[0];

/** An answer of S3's: nothing, or an error as its SDKs read it. */
export function sendS3Response(
  context: Context,
  status: number,
  code?: string,
  message = 'The request was refused.',
): void {
  context.status = status;
  if (code === undefined) {
    context.body = '';
    return;
  }
  context.type = 'application/xml';
  context.body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}
