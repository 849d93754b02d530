import { createDynamoEndpointStateRepository } from '../../../shared/deliveries/aws/dynamo-endpoint-state-repository.ts';
import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createDynamoEndpointRepository } from '../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import { describeEndpoint } from '../../../shared/webhooks/endpoint-schemas.ts';
import { type UpdateEndpointPorts, updateEndpoint } from '../../../shared/webhooks/update-endpoint.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { endpointUrlOptions } from '../../wiring/webhooks.ts';
import { updateEndpointOperation } from './operation.ts';

export const createHandler = ({
  authorization,
  ...ports
}: UpdateEndpointPorts & { authorization: Authorization<Role> }) =>
  authorizedEndpoint(updateEndpointOperation, authorization, async ({ path, body }) =>
    describeEndpoint(await updateEndpoint(ports, path, body)),
  );

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: createDynamoEndpointRepository(),
  resume: (endpointId) => createDynamoEndpointStateRepository().resume(endpointId, systemClock.now()),
  urlOptions: endpointUrlOptions,
  clock: systemClock,
});
