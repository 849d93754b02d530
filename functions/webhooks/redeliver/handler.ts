import { createDynamoDeliveryHistory } from '../../../shared/deliveries/aws/dynamo-delivery-history.ts';
import { createDynamoEndpointStateRepository } from '../../../shared/deliveries/aws/dynamo-endpoint-state-repository.ts';
import { createDynamoLaneRedeliverer } from '../../../shared/deliveries/aws/dynamo-lane-redeliverer.ts';
import { type RedeliverPorts, redeliver } from '../../../shared/deliveries/redeliver.ts';
import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { redeliverOperation } from './operation.ts';

export const createHandler = ({ authorization, ...ports }: RedeliverPorts & { authorization: Authorization<Role> }) =>
  authorizedBodylessEndpoint(redeliverOperation, authorization, async ({ path }) => {
    await redeliver(ports, path);
    return { success: true };
  });

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: createDynamoEndpointReader(),
  history: createDynamoDeliveryHistory(),
  lanes: createDynamoLaneRedeliverer(),
  endpointStates: createDynamoEndpointStateRepository(),
  clock: systemClock,
});
