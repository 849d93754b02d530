import { S3Client } from '@aws-sdk/client-s3';
import { once } from '../once.ts';

/** Has its own file, so that bundles that don't use S3 don't contain the client. */
export const s3Client = once(
  () =>
    new S3Client({
      maxAttempts: 3,
      // requestTimeout covers only the time until the response headers. socketTimeout aborts a body that stalls.
      requestHandler: {
        connectionTimeout: 1_000,
        requestTimeout: 5_000,
        throwOnRequestTimeout: true,
        socketTimeout: 10_000,
      },
      // The embedded S3 does not support the checksum trailers that the SDK adds by default.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
);
