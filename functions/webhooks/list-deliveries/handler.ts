import { createDynamoDeliveryHistory } from '../../../shared/deliveries/aws/dynamo-delivery-history.ts';
import { type ListDeliveriesPorts, listDeliveries } from '../../../shared/deliveries/list-deliveries.ts';
import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { listDeliveriesOperation } from './operation.ts';

export const createHandler = ({
  authorization,
  ...ports
}: ListDeliveriesPorts & { authorization: Authorization<Role> }) =>
  authorizedBodylessEndpoint(listDeliveriesOperation, authorization, ({ path, query }) =>
    listDeliveries(ports, path, query),
  );

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: createDynamoEndpointReader(),
  history: createDynamoDeliveryHistory(),
  clock: systemClock,
});
