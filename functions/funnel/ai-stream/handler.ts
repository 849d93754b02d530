import { type AnswerPorts, answerPrompt } from '../../../shared/ai/answer-prompt.ts';
import { configuredModel } from '../../../shared/ai/configured-model.ts';
import { findAiBlock } from '../../../shared/ai/find-ai-block.ts';
import { PACE } from '../../../shared/ai/paced.ts';
import { getActiveFunnel } from '../../../shared/funnels/active-funnel.ts';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import type { FunnelRepository } from '../../../shared/funnels/funnel.ts';
import type { AddressGate } from '../../../shared/http/address-gate.ts';
import { awsAddressGate } from '../../../shared/http/aws-address-gate.ts';
import { streamEndpoint } from '../../../shared/http/stream-endpoint.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import type { OrganizationRepository } from '../../../shared/organizations/organization.ts';
import { type Clock, systemClock } from '../../../shared/platform/clock.ts';
import { rateLimitsLifted } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { aiStream } from './operation.ts';

type Ports = AnswerPorts & {
  gate: AddressGate;
  funnels: FunnelRepository;
  organizations: OrganizationRepository;
  clock: Clock;
};

export const createHandler = (ports: Ports) =>
  streamEndpoint(aiStream, ports.gate, async ({ path, body, headers, sourceIp, signal, log }) => {
    const funnel = await getActiveFunnel(ports.funnels, ports.clock, path.id, headers.origin);
    const [block, organization, address] = await Promise.all([
      findAiBlock(ports.funnels, funnel),
      ports.organizations.find(funnel.orgId),
      ports.gate.keysOf({ sourceIp, headers }),
    ]);
    const payers = { funnel, block, organization, addressKey: address.network };
    return answerPrompt(ports, { ...payers, prompt: body.prompt, signal, log });
  });

export const handler = createHandler({
  gate: awsAddressGate(),
  funnels: createDynamoFunnelRepository(),
  organizations: createDynamoOrganizationRepository(),
  limiter: rateLimitsLifted() ? unlimited : dynamoLimiter(),
  model: configuredModel(extensionSecrets()),
  pace: PACE,
  clock: systemClock,
});
