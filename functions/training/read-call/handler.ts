import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { createDynamoCallReader } from '../../../shared/training/aws/dynamo-call-reader.ts';
import { createS3TranscriptReader } from '../../../shared/training/aws/s3-transcript-store.ts';
import { type ReadCallPorts, readCall } from '../../../shared/training/read-call.ts';
import { readTranscript } from '../../../shared/training/transcripts.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { readCallOperation } from './operation.ts';

export const createHandler = ({ authorization, ...ports }: ReadCallPorts & { authorization: Authorization<Role> }) =>
  authorizedBodylessEndpoint(readCallOperation, authorization, ({ path, caller }) =>
    readCall(ports, { orgId: path.orgId, callId: path.id }, caller),
  );

const transcripts = createS3TranscriptReader();

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  calls: createDynamoCallReader(),
  readTranscript: (stored, callId) => readTranscript(transcripts, stored, callId),
});
