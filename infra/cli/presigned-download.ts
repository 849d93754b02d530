import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { s3Client } from '../../shared/platform/aws/s3-client.ts';

const LINK_SECONDS = 600;

/** An object, and the Content-Disposition of its download. */
type Download = { bucket: string; key: string; disposition: string };

/** Creates a download link that is valid for ten minutes. Its media type makes browsers save the file. */
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
