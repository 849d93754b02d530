import { HttpError, tooManyRequests } from '../http/errors.ts';
import { uuid } from '../http/schemas.ts';
import type { Organization } from '../organizations/organization.ts';
import type { OrganizationRepository } from '../organizations/ports.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter, RateLimitPolicy, RateLimitResult } from '../platform/rate-limiter.ts';
import { FIRST_CONVERSATION_POLL_MS } from './call-schedule.ts';
import type { CallCreator, CaseAndPersona, CaseAndPersonaReader, VoiceProvider, VoiceSession } from './ports.ts';
import { VoiceProviderError } from './voice-provider-errors.ts';

/** Default limit. An organization can have another limit. */
export const SESSIONS_PER_DAY = 200;
const DAY_SECONDS = 86_400;

/** Limits the length, because the conversation id becomes part of a DynamoDB key. */
const CONVERSATION_ID = /^[\w-]{1,200}$/;

export type OpenSessionPorts = {
  casesAndPersonas: CaseAndPersonaReader;
  organizations: Pick<OrganizationRepository, 'find'>;
  limiter: RateLimiter;
  voice: Pick<VoiceProvider, 'openVoiceSession'>;
  calls: CallCreator;
  clock: Clock;
  newCallId: (atMs: number) => string;
};

export type OpenSessionInput = { orgId: string; userId: string; caseId: string; personaId: string; log: Logger };

export type OpenedSession = { token: string; systemPrompt: string; firstMessage: string; trainingCallId: string };

/**
 * Opens a session in which a trainee rehearses a case with a persona. Counts the session in the daily limit first, and
 * refunds it if the session can't be opened. Returns the token only after the call is durable.
 *
 * @throws HttpError 404 for an unknown case or persona or an archived case, 429 above the daily limit, 503 when the
 *   provider fails or the table does not process all items
 * @throws UnavailableError while the table or the daily limit is unavailable
 */
export async function openSession(ports: OpenSessionPorts, input: OpenSessionInput): Promise<OpenedSession> {
  const [caseAndPersona, organization] = await Promise.all([
    findCaseAndPersona(ports.casesAndPersonas, input),
    ports.organizations.find(input.orgId),
  ]);
  const consumed = await consumeDailyLimit(ports.limiter, input, organization?.limits);
  try {
    return await createCall(ports, input, caseAndPersona);
  } catch (cause) {
    await consumed.refund();
    throw cause;
  }
}

/**
 * @throws HttpError 404 if the case or persona is unknown or belongs to another organization, or the case is archived;
 *   the message does not say which of these it is
 */
async function findCaseAndPersona(
  casesAndPersonas: CaseAndPersonaReader,
  { orgId, ...input }: OpenSessionInput,
): Promise<CaseAndPersona> {
  const caseId = uuid.safeParse(input.caseId).data;
  const personaId = uuid.safeParse(input.personaId).data;
  const found = caseId && personaId ? await casesAndPersonas.find(orgId, { caseId, personaId }) : undefined;
  if (found?.trainingCase?.archivedAt === null && found.persona !== undefined) {
    return { trainingCase: found.trainingCase, persona: found.persona };
  }
  throw new HttpError(
    404,
    'There is no such case or persona in the organization, or the case is archived (body.caseId, body.personaId).',
  );
}

export const dailySessionLimit = (orgId: string, limits?: Organization['limits']): RateLimitPolicy => ({
  name: 'training-sessions',
  partitionKey: orgId,
  limit: limits?.sessionsPerDay ?? SESSIONS_PER_DAY,
  windowSeconds: DAY_SECONDS,
  onOutage: 'deny',
});

async function consumeDailyLimit(
  limiter: RateLimiter,
  { orgId, log }: OpenSessionInput,
  limits: Organization['limits'] | undefined,
): Promise<RateLimitResult> {
  const policy = dailySessionLimit(orgId, limits);
  const result = await limiter.consume(policy, log);
  if (!result.allowed) throw tooManyRequests({ ...policy, ...result });
  return result;
}

async function createCall(
  ports: OpenSessionPorts,
  { orgId, userId }: OpenSessionInput,
  { trainingCase, persona }: CaseAndPersona,
): Promise<OpenedSession> {
  const { signedUrl, conversationId } = await openValidVoiceSession(ports.voice, persona.agentId);
  const createdAtMs = ports.clock.now();
  const callId = ports.newCallId(createdAtMs);
  const dueAtMs = createdAtMs + FIRST_CONVERSATION_POLL_MS;
  const call = { orgId, callId, userId, conversationId, createdAtMs, dueAtMs, trainingCase, persona };
  if ((await ports.calls.add(call)) === 'conversation_taken') {
    throw unavailable(
      new VoiceProviderError(
        `The voice provider returned the conversation id ${conversationId}, which belongs to another call.`,
      ),
    );
  }
  const { firstMessage, systemPrompt } = await import('./prompts.ts');
  return {
    // The browser passes the signed URL to the provider's client.
    token: signedUrl,
    systemPrompt: systemPrompt(trainingCase, persona),
    firstMessage: firstMessage(trainingCase, persona),
    trainingCallId: callId,
  };
}

async function openValidVoiceSession(voice: OpenSessionPorts['voice'], agentId: string): Promise<VoiceSession> {
  const session = await voice.openVoiceSession(agentId).catch((cause: unknown) => {
    throw cause instanceof VoiceProviderError ? unavailable(cause) : cause;
  });
  if (session.signedUrl !== '' && CONVERSATION_ID.test(session.conversationId)) return session;
  throw unavailable(
    new VoiceProviderError(
      `For the agent ${agentId}, the voice provider returned no signed URL or an invalid conversation id.`,
    ),
  );
}

const unavailable = (cause: VoiceProviderError): HttpError =>
  new HttpError(503, 'The voice provider cannot open a session. Try again shortly.', {
    headers: { 'Retry-After': '5' },
    cause,
  });
