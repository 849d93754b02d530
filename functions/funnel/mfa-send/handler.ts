import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoLeadVerificationRepository } from '../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import { createCooldownCounter } from '../../../shared/limits/aws/dynamo-cooldown.ts';
import { createAwsMessageSender } from '../../../shared/messages/aws/aws-message-sender.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { generateCode } from '../../../shared/verification/code.ts';
import { type SendCodePorts, sendCode } from '../../../shared/verification/send-code.ts';
import { createAwsClientPseudonymizer } from '../../wiring/client-rate-limiter.ts';
import { createAwsRateLimiter } from '../../wiring/rate-limiter.ts';
import { sendVerificationCodeOperation } from './operation.ts';

export const createHandler = (ports: SendCodePorts) =>
  publicEndpoint(sendVerificationCodeOperation, async ({ path, body, headers, sourceIp, log }) => {
    const { lead_id: leadId, update_token: updateToken, channel } = body;
    const request = { funnelId: path.id, leadId, updateToken, channel, headers, sourceIp, log };
    return { data: await sendCode(ports, request) };
  });

const secrets = createExtensionSecretStore();

export const handler = createHandler({
  funnels: createDynamoFunnelRepository(),
  organizations: createDynamoOrganizationRepository(),
  leads: createDynamoLeadVerificationRepository(),
  limiter: createAwsRateLimiter({ createCooldownCounter }),
  pseudonymizer: createAwsClientPseudonymizer(),
  readSecret: () => secrets.read(requireSetting('hashSecretId')),
  messages: createAwsMessageSender(),
  clock: systemClock,
  ids: systemIdGenerator,
  generateCode,
});
