import { awsGate } from '../../../shared/http/aws-gate.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { memberReadEndpoint } from '../../../shared/http/read-endpoint.ts';
import { dynamoCallReads } from '../../../shared/training/dynamo-read-calls.ts';
import { s3TranscriptReader } from '../../../shared/training/lifecycle/s3-transcript-objects.ts';
import { readTranscript } from '../../../shared/training/lifecycle/transcripts.ts';
import { type ReadCallPorts, readCall } from '../../../shared/training/read-call.ts';
import { readCall as declared } from './operation.ts';

export const createHandler = ({ gate, ...ports }: ReadCallPorts & { gate: Gate }) =>
  memberReadEndpoint(declared, gate, ({ path, caller }) =>
    readCall(ports, { orgId: path.orgId, callId: path.id }, caller),
  );

const objects = s3TranscriptReader();

export const handler = createHandler({
  gate: awsGate(),
  calls: dynamoCallReads(),
  transcript: (stored) => readTranscript(objects, stored),
});
