import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import { describeAddress } from '../../../shared/notifications/address-schemas.ts';
import { createDynamoAddressRepository } from '../../../shared/notifications/aws/dynamo-address-repository.ts';
import { updateAddress } from '../../../shared/notifications/change-address.ts';
import type { AddressRepository } from '../../../shared/notifications/ports.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { type Clock, systemClock } from '../../../shared/platform/clock.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { updateAddressOperation } from './operation.ts';

type Ports = { authorization: Authorization<Role>; addresses: Pick<AddressRepository, 'change'>; clock: Clock };

export const createHandler = ({ authorization, ...ports }: Ports) =>
  authorizedEndpoint(updateAddressOperation, authorization, async ({ path, body }) =>
    describeAddress(await updateAddress(ports, path, body)),
  );

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  addresses: createDynamoAddressRepository(),
  clock: systemClock,
});
