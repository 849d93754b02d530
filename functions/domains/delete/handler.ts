import type { DomainIds } from '../../../shared/domains/domain.ts';
import { dynamoRemovalRequests } from '../../../shared/domains/dynamo-removal-requests.ts';
import { type RemovalRequestPorts, requestRemoval } from '../../../shared/domains/removal-request.ts';
import { startRemoval } from '../../../shared/domains/start-removal.ts';
import { awsGate } from '../../../shared/http/aws-gate.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { memberReadEndpoint } from '../../../shared/http/read-endpoint.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { deleteDomain } from './operation.ts';

export const createHandler = ({ gate, ...ports }: RemovalRequestPorts & { gate: Gate }) =>
  memberReadEndpoint(deleteDomain, gate, async ({ path, log, requestId }) => {
    const start = (ids: DomainIds) => ports.start(ids, requestId);
    await requestRemoval({ ...ports, start }, { orgId: path.orgId, domainId: path.assetId }, log);
    return { success: true };
  });

export const handler = createHandler({
  gate: awsGate(),
  domains: dynamoRemovalRequests(),
  start: startRemoval,
  clock: systemClock,
});
