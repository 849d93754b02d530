import { createDynamoUploadBlockRepository } from '../../../shared/funnels/aws/dynamo-upload-block-repository.ts';
import type { AddressGate } from '../../../shared/http/address-gate.ts';
import { awsAddressGate } from '../../../shared/http/aws-address-gate.ts';
import { formEndpoint } from '../../../shared/http/form-endpoint.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { rateLimitsLifted } from '../../../shared/platform/config.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { dynamoNewUploads } from '../../../shared/uploads/aws/dynamo-new-uploads.ts';
import { presignUpload } from '../../../shared/uploads/aws/presign-upload.ts';
import { s3FileWriter } from '../../../shared/uploads/aws/s3-file-writer.ts';
import { startDirectUpload, storeFile, type UploadFilePorts } from '../../../shared/uploads/upload-file.ts';
import { upload } from './operation.ts';

export const createHandler = ({ gate, ...ports }: UploadFilePorts & { gate: AddressGate }) =>
  formEndpoint(upload, gate, async ({ body, ...asking }) => {
    const request = { address: await gate.keysOf(asking), log: asking.log };
    if ('json' in body) return startDirectUpload(ports, body.json, request);
    return { data: await storeFile(ports, body.form, request) };
  });

export const handler = createHandler({
  gate: awsAddressGate(),
  organizations: createDynamoOrganizationRepository(),
  blocks: createDynamoUploadBlockRepository(),
  uploads: dynamoNewUploads(),
  files: s3FileWriter(),
  presign: presignUpload,
  limiter: rateLimitsLifted() ? unlimited : dynamoLimiter(),
  clock: systemClock,
  ids: systemIds,
});
