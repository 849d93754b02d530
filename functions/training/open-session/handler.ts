import { awsGate } from '../../../shared/http/aws-gate.ts';
import { memberEndpoint } from '../../../shared/http/endpoint.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { rateLimitsLifted } from '../../../shared/platform/config.ts';
import { extensionSecrets } from '../../../shared/platform/extension-secrets.ts';
import { onceResolved } from '../../../shared/platform/once.ts';
import { timeOrderedUuid } from '../../../shared/platform/time-ordered-ids.ts';
import {
  createDynamoCallCreator,
  createDynamoCaseAndPersonaReader,
} from '../../../shared/training/aws/dynamo-sessions.ts';
import { type OpenSessionPorts, openSession } from '../../../shared/training/open-session.ts';
import { openSession as declared } from './operation.ts';

export const createHandler = ({ gate, ...ports }: OpenSessionPorts & { gate: Gate }) =>
  memberEndpoint(declared, gate, ({ path, body, caller, log }) =>
    openSession(ports, { orgId: path.orgId, userId: caller.userId, ...body, log }),
  );

/** Loaded by the first request that gets as far. */
const voice = onceResolved(async () => {
  const { createVoiceProvider: configuredVoice } = await import(
    '../../../shared/training/elevenlabs/create-voice-provider.ts'
  );
  return configuredVoice(extensionSecrets());
});

export const handler = createHandler({
  gate: awsGate(),
  casesAndPersonas: createDynamoCaseAndPersonaReader(),
  organizations: createDynamoOrganizationRepository(),
  limiter: rateLimitsLifted() ? unlimited : dynamoLimiter(),
  voice: { openSession: async (agentId) => (await voice()).openSession(agentId) },
  calls: createDynamoCallCreator(),
  clock: systemClock,
  newCallId: timeOrderedUuid,
});
