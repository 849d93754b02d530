import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { createDynamoEndpointRepository } from '../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import type { EndpointRepository } from '../../../shared/webhooks/ports.ts';
import { unknownEndpoint } from '../../../shared/webhooks/unknown-endpoint.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { deleteEndpointOperation } from './operation.ts';

type Ports = { authorization: Authorization<Role>; endpoints: Pick<EndpointRepository, 'remove'> };

export const createHandler = ({ authorization, endpoints }: Ports) =>
  authorizedBodylessEndpoint(deleteEndpointOperation, authorization, async ({ path }) => {
    if (!(await endpoints.remove(path))) throw unknownEndpoint();
    return { success: true };
  });

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: createDynamoEndpointRepository(),
});
