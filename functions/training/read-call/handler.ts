import { awsGate } from '../../../shared/http/aws-gate.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { memberReadEndpoint } from '../../../shared/http/read-endpoint.ts';
import { createDynamoCallReader } from '../../../shared/training/aws/dynamo-call-reader.ts';
import { createS3TranscriptReader } from '../../../shared/training/aws/s3-transcript-store.ts';
import { type ReadCallPorts, readCall } from '../../../shared/training/read-call.ts';
import { readTranscript } from '../../../shared/training/transcripts.ts';
import { readCall as declared } from './operation.ts';

export const createHandler = ({ gate, ...ports }: ReadCallPorts & { gate: Gate }) =>
  memberReadEndpoint(declared, gate, ({ path, caller }) =>
    readCall(ports, { orgId: path.orgId, callId: path.id }, caller),
  );

const objects = createS3TranscriptReader();

export const handler = createHandler({
  gate: awsGate(),
  calls: createDynamoCallReader(),
  transcript: (stored) => readTranscript(objects, stored),
});
