import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createDynamoEndpointRepository } from '../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import { type CreateEndpointPorts, createEndpoint } from '../../../shared/webhooks/create-endpoint.ts';
import { describeEndpoint } from '../../../shared/webhooks/endpoint-schemas.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { endpointUrlOptions, readMasterSecret } from '../../wiring/webhooks.ts';
import { createEndpointOperation } from './operation.ts';

export const createHandler = ({
  authorization,
  ...ports
}: CreateEndpointPorts & { authorization: Authorization<Role> }) =>
  authorizedEndpoint(createEndpointOperation, authorization, async ({ path, body }) => {
    const { endpoint, secret } = await createEndpoint(ports, path.orgId, body);
    return { ...describeEndpoint(endpoint), secret };
  });

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: createDynamoEndpointRepository(),
  readSecret: readMasterSecret,
  urlOptions: endpointUrlOptions,
  clock: systemClock,
});
