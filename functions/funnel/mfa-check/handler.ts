import { setTimeout as wait } from 'node:timers/promises';
import { dynamoFunnels } from '../../../shared/directory/dynamo-funnels.ts';
import type { AddressGate } from '../../../shared/http/address-gate.ts';
import { awsAddressGate } from '../../../shared/http/aws-address-gate.ts';
import { limitedEndpoint } from '../../../shared/http/endpoint.ts';
import { dynamoLeadVerifications } from '../../../shared/leads/dynamo-lead-verifications.ts';
import { dynamoLimitReader } from '../../../shared/limits/dynamo-limit-reader.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { config, rateLimitsLifted } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { type CheckPorts, checkCode } from '../../../shared/verification/check-code.ts';
import { mfaCheck } from './operation.ts';

export const createHandler = (gate: AddressGate, ports: CheckPorts) =>
  limitedEndpoint(mfaCheck, gate, async ({ path, body, headers, sourceIp, arrivedAtMs, log }) => {
    const { lead_id: leadId, update_token: updateToken, code } = body;
    const call = { funnelId: path.id, leadId, updateToken, code, headers, sourceIp, arrivedAtMs, log };
    return { data: await checkCode(ports, call) };
  });

export const handler = createHandler(awsAddressGate(), {
  funnels: dynamoFunnels(),
  leads: dynamoLeadVerifications(),
  limiter: rateLimitsLifted() ? unlimited : { ...dynamoLimiter(), ...dynamoLimitReader() },
  secrets: extensionSecrets(),
  secretId: () => config('hashSecretId'),
  clock: systemClock,
  ids: systemIds,
  wait,
});
