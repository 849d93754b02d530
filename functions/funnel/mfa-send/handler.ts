import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { awsAddressGate } from '../../../shared/http/aws-address-gate.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoLeadVerificationRepository } from '../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { pauseOf } from '../../../shared/limits/dynamo-pause.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { awsMessages } from '../../../shared/messages/aws-messages.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { config, rateLimitsLifted } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { generateCode } from '../../../shared/verification/code.ts';
import { type SendCodePorts, sendCode } from '../../../shared/verification/send-code.ts';
import { mfaSend } from './operation.ts';

export const createHandler = (ports: SendCodePorts) =>
  publicEndpoint(mfaSend, async ({ path, body, headers, sourceIp, log }) => {
    const { lead_id: leadId, update_token: updateToken, channel } = body;
    const call = { funnelId: path.id, leadId, updateToken, channel, headers, sourceIp, log };
    return { data: await sendCode(ports, call) };
  });

export const handler = createHandler({
  funnels: createDynamoFunnelRepository(),
  organizations: createDynamoOrganizationRepository(),
  leads: createDynamoLeadVerificationRepository(),
  limiter: rateLimitsLifted() ? unlimited : dynamoLimiter({ pauseOf }),
  addresses: awsAddressGate(),
  secrets: extensionSecrets(),
  secretId: () => config('hashSecretId'),
  messages: awsMessages(),
  clock: systemClock,
  ids: systemIds,
  generateCode,
});
