import { setTimeout as wait } from 'node:timers/promises';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import type { AddressGate } from '../../../shared/http/address-gate.ts';
import { awsAddressGate } from '../../../shared/http/aws-address-gate.ts';
import { limitedEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoLeadVerificationRepository } from '../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import { dynamoLimitReader } from '../../../shared/limits/dynamo-limit-reader.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { config, rateLimitsLifted } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { type CheckCodePorts, checkCode } from '../../../shared/verification/check-code.ts';
import { mfaCheck } from './operation.ts';

export const createHandler = (gate: AddressGate, ports: CheckCodePorts) =>
  limitedEndpoint(mfaCheck, gate, async ({ path, body, headers, sourceIp, arrivedAtMs, log }) => {
    const { lead_id: leadId, update_token: updateToken, code } = body;
    const call = { funnelId: path.id, leadId, updateToken, code, headers, sourceIp, receivedAtMs: arrivedAtMs, log };
    return { data: await checkCode(ports, call) };
  });

export const handler = createHandler(awsAddressGate(), {
  funnels: createDynamoFunnelRepository(),
  leads: createDynamoLeadVerificationRepository(),
  limiter: rateLimitsLifted() ? unlimited : { ...dynamoLimiter(), ...dynamoLimitReader() },
  secrets: extensionSecrets(),
  secretId: () => config('hashSecretId'),
  clock: systemClock,
  ids: systemIds,
  wait,
});
