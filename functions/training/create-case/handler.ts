import { awsGate } from '../../../shared/http/aws-gate.ts';
import { memberEndpoint } from '../../../shared/http/endpoint.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { type Ids, systemIds } from '../../../shared/platform/ids.ts';
import { createDynamoCaseRepository } from '../../../shared/training/aws/dynamo-case-repository.ts';
import { type CaseRepository, createTrainingCase } from '../../../shared/training/training-case.ts';
import { createCase } from './operation.ts';

export const createHandler = (ports: { gate: Gate; cases: CaseRepository; ids: Ids }) =>
  memberEndpoint(createCase, ports.gate, async ({ path, body }) => {
    const trainingCase = createTrainingCase(body, ports.ids.uuid);
    await ports.cases.add(path.orgId, trainingCase);
    return trainingCase;
  });

export const handler = createHandler({ gate: awsGate(), cases: createDynamoCaseRepository(), ids: systemIds });
