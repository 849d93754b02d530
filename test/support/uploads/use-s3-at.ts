import { applyEnvironment, CREDENTIALS } from '../../../infra/local/runtime/environment.ts';

/** Sends the S3 requests of this process to a URL, with the uploads bucket `uploads`. */
export const useS3At = (url: string): void =>
  applyEnvironment({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_S3: url,
    UPLOADS_BUCKET: 'uploads',
  });
