import { randomUUID } from 'node:crypto';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { createHandler } from '../../../functions/training/open-session/handler.ts';
import { openSessionOperation } from '../../../functions/training/open-session/operation.ts';
import { createDynamoRateLimitReader } from '../../../shared/limits/aws/dynamo-rate-limit-reader.ts';
import { createDynamoRateLimiter } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import type { RateLimiter } from '../../../shared/platform/rate-limiter.ts';
import { uuidV7 } from '../../../shared/platform/uuid-v7.ts';
import { createDynamoCallCreator } from '../../../shared/training/aws/dynamo-call-creator.ts';
import { createDynamoCaseAndPersonaReader } from '../../../shared/training/aws/dynamo-case-and-persona-reader.ts';
import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import { dailySessionLimit, type OpenSessionPorts, SESSIONS_PER_DAY } from '../../../shared/training/open-session.ts';
import type { Persona } from '../../../shared/training/persona.ts';
import type { VoiceSession } from '../../../shared/training/ports.ts';
import type { TrainingCase } from '../../../shared/training/training-case.ts';
import { caller } from '../http.ts';
import { anOrganization } from '../organizations/members.ts';
import { aTrainingCase, NOON } from './calls.ts';

export const aPersona = (overrides: Partial<Persona> = {}): Persona => ({
  id: randomUUID(),
  name: 'Alex Example',
  language: 'en',
  character: 'Friendly but cautious; asks for proof.',
  mood: 'In a hurry',
  objections: ['That is more than I wanted to spend.'],
  agentId: `agent_${randomUUID()}`,
  createdAt: '2024-05-01T08:00:00.000Z',
  ...overrides,
});

const put = async (Item: Record<string, unknown>) =>
  void (await dynamoDocumentClient().send(new PutCommand({ TableName: 'training', Item })));

/** Stores a case in the same form as the operation `create-case`. */
export async function storedCase(orgId: string, overrides: Partial<TrainingCase> = {}): Promise<TrainingCase> {
  const trainingCase = aTrainingCase(overrides);
  await put({
    ...trainingKey.trainingCase(orgId, trainingCase.id),
    ...trainingCase,
    createdAt: '2024-05-01T08:00:00.000Z',
  });
  return trainingCase;
}

/** Stores a persona in the same form as the operator's command. */
export async function storedPersona(orgId: string, overrides: Partial<Persona> = {}): Promise<Persona> {
  const persona = aPersona(overrides);
  await put({ ...trainingKey.persona(orgId, persona.id), ...persona });
  return persona;
}

/** Reads the calls of an organization from the table, and the look-up items of their conversations. */
export async function storedCalls(orgId: string) {
  const { Items = [] } = await dynamoDocumentClient().send(
    new ScanCommand({ TableName: 'training', ConsistentRead: true }),
  );
  const own = Items.filter((item) => item.orgId === orgId);
  return {
    calls: own.filter(({ sk }) => String(sk).startsWith('call#')),
    lookups: own.filter(({ sk }) => sk === 'conversation'),
  };
}

type World = { limits?: Organization['limits']; ports?: Partial<OpenSessionPorts> };

/** Sets up an organization with a case and a persona in DynamoDB. Tests control the provider and the clock. */
export async function setUpSessions({ limits = {}, ports: replaced = {} }: World = {}) {
  const members = anOrganization();
  const { orgId, authorization, as } = members;
  const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
  const clock = { ms: NOON, now: () => clock.ms };
  const limiter = createDynamoRateLimiter({ clock });
  const requestedAgents: string[] = [];
  const voice = {
    respond: async (): Promise<VoiceSession> => ({
      signedUrl: `wss://voice.example/?${randomUUID()}`,
      conversationId: `conv_${randomUUID()}`,
    }),
    openVoiceSession: (agentId: string) => {
      requestedAgents.push(agentId);
      return voice.respond();
    },
  };
  const ports = {
    authorization,
    clock,
    limiter,
    voice,
    casesAndPersonas: createDynamoCaseAndPersonaReader(),
    organizations: { find: async () => Organization.parse({ id: orgId, name: 'Northlight Solar', limits }) },
    calls: createDynamoCallCreator(),
    newCallId: uuidV7,
    ...replaced,
  };
  const send = caller(openSessionOperation, createHandler(ports));
  const ids = { caseId: trainingCase.id, personaId: persona.id };
  return {
    ...members,
    trainingCase,
    persona,
    ids,
    clock,
    voice,
    requestedAgents,
    limiter,
    send,
    open: (body: unknown = ids, headers: Record<string, string> = as('member')) =>
      send({ path: { orgId }, body, headers }),
    countedSessions: () => countSessions(orgId, clock),
    stored: () => storedCalls(orgId),
  };
}

/** Returns the number of today's sessions that count against the limit of the organization. */
async function countSessions(orgId: string, clock: { now(): number }): Promise<number> {
  const { remaining } = await createDynamoRateLimitReader(clock).readRemaining(
    dailySessionLimit(orgId),
    createJsonLogger({}),
  );
  return SESSIONS_PER_DAY - remaining;
}

export const consumeSessions = (limiter: RateLimiter, orgId: string, units: number) =>
  limiter.consume(dailySessionLimit(orgId), createJsonLogger({}), units);
