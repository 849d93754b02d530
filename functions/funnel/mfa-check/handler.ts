import { setTimeout as wait } from 'node:timers/promises';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import type { ClientRateLimiter } from '../../../shared/http/client-rate-limiter.ts';
import { rateLimitedEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoLeadVerificationRepository } from '../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import { createDynamoRateLimitReader } from '../../../shared/limits/aws/dynamo-rate-limit-reader.ts';
import { createDynamoRateLimiter } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { areRateLimitsDisabled, unlimitedRateLimiter } from '../../../shared/limits/rate-limits-disabled.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { type CheckCodePorts, checkCode } from '../../../shared/verification/check-code.ts';
import { createAwsClientRateLimiter } from '../../wiring/client-rate-limiter.ts';
import { checkVerificationCodeOperation } from './operation.ts';

type Ports = CheckCodePorts & { clientRateLimiter: ClientRateLimiter };

export const createHandler = ({ clientRateLimiter, ...ports }: Ports) =>
  rateLimitedEndpoint(
    checkVerificationCodeOperation,
    clientRateLimiter,
    async ({ path, body, headers, sourceIp, receivedAtMs, log }) => {
      const { lead_id: leadId, update_token: updateToken, code } = body;
      const request = { funnelId: path.id, leadId, updateToken, code, headers, sourceIp, receivedAtMs, log };
      return { data: await checkCode(ports, request) };
    },
  );

const secrets = createExtensionSecretStore();

export const handler = createHandler({
  clientRateLimiter: createAwsClientRateLimiter(),
  funnels: createDynamoFunnelRepository(),
  leads: createDynamoLeadVerificationRepository(),
  limiter: areRateLimitsDisabled()
    ? unlimitedRateLimiter
    : { ...createDynamoRateLimiter(), ...createDynamoRateLimitReader() },
  readSecret: () => secrets.read(requireSetting('hashSecretId')),
  clock: systemClock,
  ids: systemIdGenerator,
  wait,
});
