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
import { dynamoNewUploads } from '../../../shared/uploads/dynamo-new-uploads.ts';
import { announceFile, type ReceivePorts, receiveFile } from '../../../shared/uploads/receive-file.ts';
import { directUpload } from '../../../shared/uploads/s3-direct-upload.ts';
import { s3FileWriter } from '../../../shared/uploads/s3-file-writer.ts';
import { upload } from './operation.ts';

export const createHandler = ({ gate, ...ports }: ReceivePorts & { gate: AddressGate }) =>
  formEndpoint(upload, gate, async ({ body, ...asking }) => {
    const request = { address: await gate.keysOf(asking), log: asking.log };
    if ('json' in body) return announceFile(ports, body.json, request);
    return { data: await receiveFile(ports, body.form, request) };
  });

export const handler = createHandler({
  gate: awsAddressGate(),
  organizations: createDynamoOrganizationRepository(),
  blocks: createDynamoUploadBlockRepository(),
  uploads: dynamoNewUploads(),
  files: s3FileWriter(),
  direct: directUpload,
  limiter: rateLimitsLifted() ? unlimited : dynamoLimiter(),
  clock: systemClock,
  ids: systemIds,
});
