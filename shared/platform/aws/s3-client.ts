import { S3Client } from '@aws-sdk/client-s3';
import { once } from '../once.ts';

/** The S3 client, made on first use. Apart from the other clients: a bundle that needs no S3 must not carry it. */
export const s3Client = once(
  () =>
    new S3Client({
      maxAttempts: 3,
      // The request's time ends with the head of the answer: a body that stops on its way would be waited for without end.
      requestHandler: {
        ...{ connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
        socketTimeout: 10_000,
      },
      // The embedded S3 does not know the checksum trailers that the SDK adds by default.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
);
