import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { config } from '../platform/config.ts';
import { s3 } from '../platform/s3.ts';
import { attachment, type LinkPorts } from './file-link.ts';

const LINK_SECONDS = 600;

/** A presigned GET of ten minutes that answers with an attachment of bytes, whatever the file is. */
export const signedDownload: LinkPorts['sign'] = async (path, name) => {
  const get = new GetObjectCommand({
    Bucket: config('uploadsBucket'),
    Key: path,
    ResponseContentDisposition: attachment(name),
    ResponseContentType: 'application/octet-stream',
    ResponseCacheControl: 'no-store',
  });
  const url = await getSignedUrl(s3(), get, { expiresIn: LINK_SECONDS });
  return { url, expiresAt: new Date(Date.now() + LINK_SECONDS * 1_000).toISOString() };
};
