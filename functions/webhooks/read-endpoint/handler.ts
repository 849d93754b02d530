import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { describeEndpoint } from '../../../shared/webhooks/endpoint-schemas.ts';
import type { EndpointReader } from '../../../shared/webhooks/ports.ts';
import { unknownEndpoint } from '../../../shared/webhooks/unknown-endpoint.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { readEndpointOperation } from './operation.ts';

type Ports = { authorization: Authorization<Role>; endpoints: Pick<EndpointReader, 'find'> };

export const createHandler = ({ authorization, endpoints }: Ports) =>
  authorizedBodylessEndpoint(readEndpointOperation, authorization, async ({ path }) => {
    const endpoint = await endpoints.find(path);
    if (endpoint === undefined) throw unknownEndpoint();
    return describeEndpoint(endpoint);
  });

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: createDynamoEndpointReader(),
});
