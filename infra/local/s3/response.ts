import type S3rver from 's3rver';

type Context = Parameters<S3rver['middleware'][number]>[0];

/** Sends an empty response, or an error in the format of S3. */
export function sendS3Response(
  context: Context,
  status: number,
  errorCode?: string,
  message = 'The request was rejected.',
): void {
  context.status = status;
  if (errorCode === undefined) {
    context.body = '';
    return;
  }
  context.type = 'application/xml';
  context.body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${errorCode}</Code><Message>${message}</Message></Error>`;
}
