import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { onceAsync } from '../../../shared/platform/once.ts';
import { uuidV7 } from '../../../shared/platform/uuid-v7.ts';
import { createDynamoCallCreator } from '../../../shared/training/aws/dynamo-call-creator.ts';
import { createDynamoCaseAndPersonaReader } from '../../../shared/training/aws/dynamo-case-and-persona-reader.ts';
import { type OpenSessionPorts, openSession } from '../../../shared/training/open-session.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { createAwsRateLimiter } from '../../wiring/rate-limiter.ts';
import { openSessionOperation } from './operation.ts';

export const createHandler = ({ authorization, ...ports }: OpenSessionPorts & { authorization: Authorization<Role> }) =>
  authorizedEndpoint(openSessionOperation, authorization, ({ path, body, caller, log }) =>
    openSession(ports, { orgId: path.orgId, userId: caller.userId, ...body, log }),
  );

/** Imported only when a session is opened, because a rejected request does not need the voice provider. */
const voice = onceAsync(async () => {
  const { createVoiceProvider } = await import('../../../shared/training/elevenlabs/voice-provider.ts');
  return createVoiceProvider(createExtensionSecretStore());
});

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  casesAndPersonas: createDynamoCaseAndPersonaReader(),
  organizations: createDynamoOrganizationRepository(),
  limiter: createAwsRateLimiter(),
  voice: { openVoiceSession: async (agentId) => (await voice()).openVoiceSession(agentId) },
  calls: createDynamoCallCreator(),
  clock: systemClock,
  newCallId: uuidV7,
});
