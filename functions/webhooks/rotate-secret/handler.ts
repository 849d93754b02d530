import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createDynamoEndpointRepository } from '../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import { describeEndpoint } from '../../../shared/webhooks/endpoint-schemas.ts';
import { type RotateSecretPorts, rotateSecret } from '../../../shared/webhooks/rotate-secret.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { readMasterSecret } from '../../wiring/webhooks.ts';
import { rotateSecretOperation } from './operation.ts';

export const createHandler = ({
  authorization,
  ...ports
}: RotateSecretPorts & { authorization: Authorization<Role> }) =>
  authorizedBodylessEndpoint(rotateSecretOperation, authorization, async ({ path }) => {
    const { endpoint, secret } = await rotateSecret(ports, path);
    return { ...describeEndpoint(endpoint), secret };
  });

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: { ...createDynamoEndpointReader(), ...createDynamoEndpointRepository() },
  readSecret: readMasterSecret,
  clock: systemClock,
});
