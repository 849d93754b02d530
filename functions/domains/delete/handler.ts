import { createDynamoRemovalRequestRepository } from '../../../shared/domains/aws/dynamo-removal-request-repository.ts';
import { invokeRemoval } from '../../../shared/domains/aws/invoke-removal.ts';
import type { DomainIds } from '../../../shared/domains/domain.ts';
import { type RequestRemovalPorts, requestRemoval } from '../../../shared/domains/request-removal.ts';
import { awsGate } from '../../../shared/http/aws-gate.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { memberReadEndpoint } from '../../../shared/http/read-endpoint.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { deleteDomain } from './operation.ts';

export const createHandler = ({ gate, ...ports }: RequestRemovalPorts & { gate: Gate }) =>
  memberReadEndpoint(deleteDomain, gate, async ({ path, log, requestId }) => {
    const start = (ids: DomainIds) => ports.start(ids, requestId);
    await requestRemoval({ ...ports, start }, { orgId: path.orgId, domainId: path.assetId }, log);
    return { success: true };
  });

export const handler = createHandler({
  gate: awsGate(),
  domains: createDynamoRemovalRequestRepository(),
  start: invokeRemoval,
  clock: systemClock,
});
