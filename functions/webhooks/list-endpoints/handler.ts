import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { describeEndpoint } from '../../../shared/webhooks/endpoint-schemas.ts';
import type { EndpointReader } from '../../../shared/webhooks/ports.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { listEndpointsOperation } from './operation.ts';

type Ports = { authorization: Authorization<Role>; endpoints: Pick<EndpointReader, 'list'> };

export const createHandler = ({ authorization, endpoints }: Ports) =>
  authorizedBodylessEndpoint(listEndpointsOperation, authorization, async ({ path }) => ({
    endpoints: (await endpoints.list(path.orgId)).map(describeEndpoint),
  }));

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: createDynamoEndpointReader(),
});
