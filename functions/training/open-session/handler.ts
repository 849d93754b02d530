import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoRateLimiter } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { onceAsync } from '../../../shared/platform/once.ts';
import { unlimitedRateLimiter } from '../../../shared/platform/rate-limiter.ts';
import { areRateLimitsDisabled } from '../../../shared/platform/settings.ts';
import { uuidV7 } from '../../../shared/platform/uuid-v7.ts';
import {
  createDynamoCallCreator,
  createDynamoCaseAndPersonaReader,
} from '../../../shared/training/aws/dynamo-sessions.ts';
import { type OpenSessionPorts, openSession } from '../../../shared/training/open-session.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { openSessionOperation as declared } from './operation.ts';

export const createHandler = ({ gate: authorization, ...ports }: OpenSessionPorts & { gate: Authorization }) =>
  authorizedEndpoint(declared, authorization, ({ path, body, caller, log }) =>
    openSession(ports, { orgId: path.orgId, userId: caller.userId, ...body, log }),
  );

/** Loaded by the first request that gets as far. */
const voice = onceAsync(async () => {
  const { createVoiceProvider: configuredVoice } = await import(
    '../../../shared/training/elevenlabs/create-voice-provider.ts'
  );
  return configuredVoice(createExtensionSecretStore());
});

export const handler = createHandler({
  gate: createAwsAuthorization(),
  casesAndPersonas: createDynamoCaseAndPersonaReader(),
  organizations: createDynamoOrganizationRepository(),
  limiter: areRateLimitsDisabled() ? unlimitedRateLimiter : createDynamoRateLimiter(),
  voice: { openSession: async (agentId) => (await voice()).openSession(agentId) },
  calls: createDynamoCallCreator(),
  clock: systemClock,
  newCallId: uuidV7,
});
