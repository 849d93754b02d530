import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import { describeAddress } from '../../../shared/notifications/address-schemas.ts';
import { createDynamoAddressRepository } from '../../../shared/notifications/aws/dynamo-address-repository.ts';
import { createDynamoNoticeWriter } from '../../../shared/notifications/aws/dynamo-notice-writer.ts';
import { type CreateAddressPorts, createAddress } from '../../../shared/notifications/create-address.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { createAwsRateLimiter } from '../../wiring/rate-limiter.ts';
import { createAddressOperation } from './operation.ts';

type Ports = CreateAddressPorts & { authorization: Authorization<Role> };

export const createHandler = ({ authorization, ...ports }: Ports) =>
  authorizedEndpoint(createAddressOperation, authorization, async ({ path, body, log }) =>
    describeAddress(await createAddress(ports, path.orgId, body, log)),
  );

const secrets = createExtensionSecretStore();

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  addresses: createDynamoAddressRepository(),
  notices: createDynamoNoticeWriter(),
  organizations: createDynamoOrganizationRepository(),
  limiter: createAwsRateLimiter(),
  readSecret: () => secrets.read(requireSetting('hashSecretId')),
  linkBaseUrl: () => requireSetting('apiAddress'),
  clock: systemClock,
});
