import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import { describeAddress } from '../../../shared/notifications/address-schemas.ts';
import { createDynamoAddressReader } from '../../../shared/notifications/aws/dynamo-address-repository.ts';
import type { AddressReader } from '../../../shared/notifications/ports.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { listAddressesOperation } from './operation.ts';

type Ports = { authorization: Authorization<Role>; addresses: AddressReader };

export const createHandler = ({ authorization, addresses }: Ports) =>
  authorizedBodylessEndpoint(listAddressesOperation, authorization, async ({ path }) => ({
    addresses: (await addresses.list(path.orgId)).map(describeAddress),
  }));

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  addresses: createDynamoAddressReader(),
});
