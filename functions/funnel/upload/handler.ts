import { createDynamoUploadBlockRepository } from '../../../shared/funnels/aws/dynamo-upload-block-repository.ts';
import type { ClientRateLimiter } from '../../../shared/http/client-rate-limiter.ts';
import { multipartEndpoint } from '../../../shared/http/multipart-endpoint.ts';
import type { ClientPseudonymizer } from '../../../shared/limits/client-pseudonym.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { addUpload } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { presignUpload } from '../../../shared/uploads/aws/presign-upload.ts';
import { putFile } from '../../../shared/uploads/aws/s3-file-store.ts';
import { startDirectUpload, storeFile, type UploadFilePorts } from '../../../shared/uploads/upload-file.ts';
import { createAwsClientPseudonymizer, createAwsClientRateLimiter } from '../../wiring/client-rate-limiter.ts';
import { createAwsRateLimiter } from '../../wiring/rate-limiter.ts';
import { uploadOperation } from './operation.ts';

type Ports = UploadFilePorts & { clientRateLimiter: ClientRateLimiter; pseudonymizer: ClientPseudonymizer };

export const createHandler = ({ clientRateLimiter, pseudonymizer, ...ports }: Ports) =>
  multipartEndpoint(uploadOperation, clientRateLimiter, async ({ body, sourceIp, headers, log }) => {
    const context = { client: await pseudonymizer.pseudonymsOf({ sourceIp, headers }), log };
    if ('json' in body) return startDirectUpload(ports, body.json, context);
    return { data: await storeFile(ports, body.form, context) };
  });

const pseudonymizer = createAwsClientPseudonymizer();

export const handler = createHandler({
  clientRateLimiter: createAwsClientRateLimiter(pseudonymizer),
  pseudonymizer,
  organizations: createDynamoOrganizationRepository(),
  blocks: createDynamoUploadBlockRepository(),
  uploads: { add: addUpload },
  files: { put: putFile },
  presign: presignUpload,
  limiter: createAwsRateLimiter(),
  clock: systemClock,
  ids: systemIdGenerator,
});
