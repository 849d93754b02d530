import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../../shared/http/bodyless-endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createMessageSender } from '../../../shared/webhooks/send-message.ts';
import { type TestEndpointPorts, testEndpoint } from '../../../shared/webhooks/test-endpoint.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { endpointUrlOptions, readMasterSecret } from '../../wiring/webhooks.ts';
import { testEndpointOperation } from './operation.ts';

export const createHandler = ({
  authorization,
  ...ports
}: TestEndpointPorts & { authorization: Authorization<Role> }) =>
  authorizedBodylessEndpoint(testEndpointOperation, authorization, ({ path }) => testEndpoint(ports, path));

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  endpoints: createDynamoEndpointReader(),
  readSecret: readMasterSecret,
  send: createMessageSender(endpointUrlOptions()),
  clock: systemClock,
});
