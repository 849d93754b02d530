import { createDynamoUploadBlockRepository } from '../../../shared/funnels/aws/dynamo-upload-block-repository.ts';
import { multipartEndpoint } from '../../../shared/http/multipart-endpoint.ts';
import { createDynamoRateLimiter } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import type { ClientRateLimiter } from '../../../shared/limits/client-rate-limiter.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { unlimitedRateLimiter } from '../../../shared/platform/rate-limiter.ts';
import { areRateLimitsDisabled } from '../../../shared/platform/settings.ts';
import { dynamoNewUploads } from '../../../shared/uploads/aws/dynamo-new-uploads.ts';
import { presignUpload } from '../../../shared/uploads/aws/presign-upload.ts';
import { s3FileWriter } from '../../../shared/uploads/aws/s3-file-writer.ts';
import { startDirectUpload, storeFile, type UploadFilePorts } from '../../../shared/uploads/upload-file.ts';
import { createAwsClientRateLimiter } from '../../wiring/client-rate-limiter.ts';
import { uploadOperation } from './operation.ts';

export const createHandler = ({ gate: clientRateLimiter, ...ports }: UploadFilePorts & { gate: ClientRateLimiter }) =>
  multipartEndpoint(uploadOperation, clientRateLimiter, async ({ body, ...asking }) => {
    const request = { address: await clientRateLimiter.pseudonymOf(asking), log: asking.log };
    if ('json' in body) return startDirectUpload(ports, body.json, request);
    return { data: await storeFile(ports, body.form, request) };
  });

export const handler = createHandler({
  gate: createAwsClientRateLimiter(),
  organizations: createDynamoOrganizationRepository(),
  blocks: createDynamoUploadBlockRepository(),
  uploads: dynamoNewUploads(),
  files: s3FileWriter(),
  presign: presignUpload,
  limiter: areRateLimitsDisabled() ? unlimitedRateLimiter : createDynamoRateLimiter(),
  clock: systemClock,
  ids: systemIdGenerator,
});
