import { createDynamoRemovalRequestRepository } from '../../../shared/domains/aws/dynamo-removal-request-repository.ts';
import { invokeRemoval } from '../../../shared/domains/aws/invoke-removal.ts';
import type { DomainIds } from '../../../shared/domains/domain.ts';
import { type RequestRemovalPorts, requestRemoval } from '../../../shared/domains/request-removal.ts';
import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { deleteDomainOperation } from './operation.ts';

export const createHandler = ({
  authorization,
  ...ports
}: RequestRemovalPorts & { authorization: Authorization<Role> }) =>
  authorizedBodylessEndpoint(deleteDomainOperation, authorization, async ({ path, log, requestId }) => {
    const start = (ids: DomainIds) => ports.start(ids, requestId);
    await requestRemoval({ ...ports, start }, { orgId: path.orgId, domainId: path.assetId }, log);
    return { success: true };
  });

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  domains: createDynamoRemovalRequestRepository(),
  start: invokeRemoval,
  clock: systemClock,
});
