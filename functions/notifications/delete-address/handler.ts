import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import { createDynamoAddressRepository } from '../../../shared/notifications/aws/dynamo-address-repository.ts';
import { removeAddress } from '../../../shared/notifications/change-address.ts';
import type { AddressRepository } from '../../../shared/notifications/ports.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { deleteAddressOperation } from './operation.ts';

type Ports = { authorization: Authorization<Role>; addresses: Pick<AddressRepository, 'change'> };

export const createHandler = ({ authorization, addresses }: Ports) =>
  authorizedBodylessEndpoint(deleteAddressOperation, authorization, async ({ path }) => {
    await removeAddress(addresses, path);
    return { success: true };
  });

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  addresses: createDynamoAddressRepository(),
});
