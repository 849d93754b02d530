import { dynamoFunnels } from '../../../shared/directory/dynamo-funnels.ts';
import { dynamoOrganizations } from '../../../shared/directory/dynamo-organizations.ts';
import { awsAddressGate } from '../../../shared/http/aws-address-gate.ts';
import { publicEndpoint } from '../../../shared/http/endpoint.ts';
import { dynamoLeadVerifications } from '../../../shared/leads/dynamo-lead-verifications.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { pauseOf } from '../../../shared/limits/dynamo-pause.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { awsMessages } from '../../../shared/messages/aws-messages.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { config, rateLimitsLifted } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { newCode } from '../../../shared/verification/code.ts';
import { type SendPorts, sendCode } from '../../../shared/verification/send-code.ts';
import { mfaSend } from './operation.ts';

export const createHandler = (ports: SendPorts) =>
  publicEndpoint(mfaSend, async ({ path, body, headers, sourceIp, log }) => {
    const { lead_id: leadId, update_token: updateToken, channel } = body;
    const call = { funnelId: path.id, leadId, updateToken, channel, headers, sourceIp, log };
    return { data: await sendCode(ports, call) };
  });

export const handler = createHandler({
  funnels: dynamoFunnels(),
  organizations: dynamoOrganizations(),
  leads: dynamoLeadVerifications(),
  limiter: rateLimitsLifted() ? unlimited : dynamoLimiter({ pauseOf }),
  addresses: awsAddressGate(),
  secrets: extensionSecrets(),
  secretId: () => config('hashSecretId'),
  messages: awsMessages(),
  clock: systemClock,
  ids: systemIds,
  newCode,
});
