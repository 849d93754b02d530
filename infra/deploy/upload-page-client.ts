import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { PAGE_CLIENT_FILES } from '../bundles/page-client-files.ts';
import { UserError } from '../common/user-error.ts';
import { ALIAS_FOLDER, CACHE_CONTROL, contentType, VERSION, VERSION_FOLDER } from '../page-client/delivery.ts';
import { permitted } from '../stage/permitted.ts';

type Upload = {
  s3: S3Client;
  bucket: string;
  /** Whether the current version is published. The files of a version that is not published may still change. */
  isPublished: boolean;
  /** Folder of the built page client. */
  folder: string;
};

/**
 * If the version is published, first uploads the page client to `VERSION_FOLDER`. Then uploads it to `ALIAS_FOLDER`.
 * Never replaces a file in `VERSION_FOLDER` (docs/adr/0027-page-client-delivery.md).
 *
 * @throws UserError if a file in `VERSION_FOLDER` differs from the built file (`ALIAS_FOLDER` is then unchanged), or if
 *   the credentials lack a permission
 */
export async function uploadPageClient({ s3, bucket, isPublished, folder }: Upload) {
  const files = await Promise.all(
    // The core scripts are first in `PAGE_CLIENT_FILES`. Upload them last, so that a new script never loads an old or
    // missing part.
    PAGE_CLIENT_FILES.toReversed().map(async (name) => ({ name, body: await readFile(join(folder, name)) })),
  );
  const target = `the bucket ${bucket}`;
  const put = (key: string, body: Buffer, options: { CacheControl: string; IfNoneMatch?: '*' }) =>
    permitted(
      's3:PutObject',
      target,
      s3.send(
        new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: contentType(key), ...options }),
      ),
    );
  for (const { name, body } of isPublished ? files : []) {
    const key = `${VERSION_FOLDER}/${name}`;
    try {
      await put(key, body, { CacheControl: CACHE_CONTROL.version, IfNoneMatch: '*' });
    } catch (error) {
      if (!(error instanceof Error && error.name === 'PreconditionFailed')) throw error;
      const existing = await permitted(
        's3:GetObject',
        target,
        s3.send(new GetObjectCommand({ Bucket: bucket, Key: key })),
      );
      const bytes = await existing.Body?.transformToByteArray();
      if (bytes === undefined || !body.equals(bytes))
        throw new UserError(
          `The file ${key} in the bucket ${bucket} differs from the built file. Files of a published version never ` +
            'change, so the upload stopped at this file and did not replace it. Deploy the commit that published ' +
            `version ${VERSION} of the page client, or set a new version in web/page-client/versions.json.`,
        );
    }
  }
  for (const { name, body } of files) await put(`${ALIAS_FOLDER}/${name}`, body, { CacheControl: CACHE_CONTROL.alias });
}
