import { awsGate } from '../../../shared/http/aws-gate.ts';
import { memberEndpoint } from '../../../shared/http/endpoint.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { type Ids, systemIds } from '../../../shared/platform/ids.ts';
import { dynamoCases } from '../../../shared/training/dynamo-cases.ts';
import { type Cases, trainingCaseOf } from '../../../shared/training/training-case.ts';
import { createCase } from './operation.ts';

export const createHandler = (ports: { gate: Gate; cases: Cases; ids: Ids }) =>
  memberEndpoint(createCase, ports.gate, async ({ path, body }) => {
    const trainingCase = trainingCaseOf(body, ports.ids.uuid);
    await ports.cases.add(path.orgId, trainingCase);
    return trainingCase;
  });

export const handler = createHandler({ gate: awsGate(), cases: dynamoCases(), ids: systemIds });
