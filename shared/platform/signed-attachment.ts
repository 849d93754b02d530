import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { s3Client } from './aws/s3-client.ts';

const LINK_SECONDS = 600;

/** Where an object is, and the Content-Disposition that it is answered with: an attachment. */
type Download = { bucket: string; key: string; disposition: string };

/** A presigned GET of ten minutes that answers with an attachment of bytes, whatever the object is. */
export async function presignAttachment({
  bucket,
  key,
  disposition,
}: Download): Promise<{ url: string; expiresAt: string }> {
  const get = new GetObjectCommand({
    Bucket: bucket,
    Key: key,
    ResponseContentDisposition: disposition,
    ResponseContentType: 'application/octet-stream',
    ResponseCacheControl: 'no-store',
  });
  const url = await getSignedUrl(s3Client(), get, { expiresIn: LINK_SECONDS });
  return { url, expiresAt: new Date(Date.now() + LINK_SECONDS * 1_000).toISOString() };
}
