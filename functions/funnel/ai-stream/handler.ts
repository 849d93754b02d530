import { createConfiguredModel } from '../../../shared/ai/configured-model.ts';
import { MODEL_TIMEOUTS } from '../../../shared/ai/model-timeouts.ts';
import { streamText, type TextGenerationPorts } from '../../../shared/ai/stream-text.ts';
import { clientTokenPolicy, funnelTokenPolicy, organizationTokenPolicy } from '../../../shared/ai/token-budget.ts';
import { getActiveFunnel } from '../../../shared/funnels/active-funnel.ts';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { getAiBlock } from '../../../shared/funnels/get-ai-block.ts';
import type { FunnelRepository } from '../../../shared/funnels/ports.ts';
import type { ClientRateLimiter } from '../../../shared/http/client-rate-limiter.ts';
import { streamEndpoint } from '../../../shared/http/stream-endpoint.ts';
import type { ClientPseudonymizer } from '../../../shared/limits/client-pseudonym.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import type { OrganizationRepository } from '../../../shared/organizations/ports.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { type Clock, systemClock } from '../../../shared/platform/clock.ts';
import { createAwsClientPseudonymizer, createAwsClientRateLimiter } from '../../wiring/client-rate-limiter.ts';
import { createAwsRateLimiter } from '../../wiring/rate-limiter.ts';
import { aiStreamOperation } from './operation.ts';

type Ports = TextGenerationPorts & {
  clientRateLimiter: ClientRateLimiter;
  pseudonymizer: ClientPseudonymizer;
  funnels: FunnelRepository;
  organizations: OrganizationRepository;
  clock: Clock;
};

export const createHandler = (ports: Ports) =>
  streamEndpoint(aiStreamOperation, ports.clientRateLimiter, async ({ path, body, headers, sourceIp, signal, log }) => {
    const funnel = await getActiveFunnel(ports.funnels, ports.clock, path.id, headers.origin);
    const [block, organization, client] = await Promise.all([
      getAiBlock(ports.funnels, funnel),
      ports.organizations.find(funnel.orgId),
      ports.pseudonymizer.pseudonymsOf({ sourceIp, headers }),
    ]);
    const funnelPolicy = funnelTokenPolicy(funnel.id, block.dailyTokens ?? funnel.limits.aiTokensPerDay);
    return streamText(ports, {
      instructions: block.systemPrompt,
      prompt: body.prompt,
      sourceTexts: block.texts,
      outputTokensMax: block.outputTokensMax,
      modelId: block.model,
      tokenPolicies: [
        clientTokenPolicy(funnelPolicy, client.network),
        funnelPolicy,
        organizationTokenPolicy(funnel.orgId, organization?.limits.aiTokensPerDay),
      ],
      logFields: { orgId: funnel.orgId, funnelId: funnel.id },
      signal,
      log,
    });
  });

const pseudonymizer = createAwsClientPseudonymizer();

export const handler = createHandler({
  clientRateLimiter: createAwsClientRateLimiter(pseudonymizer),
  pseudonymizer,
  funnels: createDynamoFunnelRepository(),
  organizations: createDynamoOrganizationRepository(),
  limiter: createAwsRateLimiter(),
  model: createConfiguredModel(createExtensionSecretStore()),
  timeouts: MODEL_TIMEOUTS,
  clock: systemClock,
});
