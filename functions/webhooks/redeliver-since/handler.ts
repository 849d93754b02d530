import { createDynamoEndpointStateRepository } from '../../../shared/deliveries/aws/dynamo-endpoint-state-repository.ts';
import { type RedeliverSincePorts, redeliverSince } from '../../../shared/deliveries/redeliver.ts';
import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { redeliverSinceOperation } from './operation.ts';

export const createHandler = ({
  authorization,
  ...ports
}: RedeliverSincePorts & { authorization: Authorization<Role> }) =>
  authorizedEndpoint(redeliverSinceOperation, authorization, ({ path, body }) => redeliverSince(ports, path, body));

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: createDynamoEndpointReader(),
  endpointStates: createDynamoEndpointStateRepository(),
  clock: systemClock,
});
