import { HttpError, tooManyRequests } from '../http/errors.ts';
import { uuid } from '../http/schemas.ts';
import type { Organization } from '../organizations/organization.ts';
import type { OrganizationRepository } from '../organizations/ports.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter, RateLimitPolicy, RateLimitResult } from '../platform/rate-limiter.ts';
import type { CallIds } from './call.ts';
import type { Persona } from './persona.ts';
import type { TrainingCase } from './training-case.ts';
import { type VoiceProvider, VoiceProviderError, type VoiceSession } from './voice-provider.ts';

/** Decisions 11; an organization can have another. */
export const SESSIONS_PER_DAY = 200;
const DAY_SECONDS = 86_400;

/** A call that nobody has told of by then is looked for at the provider. */
const FIRST_LOOK_MS = 30 * 60_000;

/** As a provider names a conversation: what would not fit a key, or is none, is refused before it is kept. */
const CONVERSATION_ID = /^[\w-]{1,200}$/;

/** What a session is about. */
type CaseAndPersona = { trainingCase: TrainingCase; persona: Persona };

export type CaseAndPersonaReader = {
  /** In one read, strongly consistent; what the organization does not have is undefined. @throws Problem 503 */
  find(
    orgId: string,
    ids: { caseId: string; personaId: string },
  ): Promise<{ [Part in keyof CaseAndPersona]: CaseAndPersona[Part] | undefined }>;
};

/** A call that has just been made possible. */
export type NewCall = CallIds &
  CaseAndPersona & { userId: string; conversationId: string; createdAtMs: number; dueAtMs: number };

export type CallCreator = {
  /**
   * Durable, and findable by its conversation, once it is `added`. `conversation_taken`: the provider has given the
   * conversation's id before, and nothing was written.
   *
   * @throws Problem 503; a call that can't be found by its conversation may be left behind then, for the sweeper
   */
  add(call: NewCall): Promise<'added' | 'conversation_taken'>;
};

export type OpenSessionPorts = {
  casesAndPersonas: CaseAndPersonaReader;
  organizations: Pick<OrganizationRepository, 'find'>;
  limiter: RateLimiter;
  voice: Pick<VoiceProvider, 'openSession'>;
  calls: CallCreator;
  clock: Clock;
  newCallId: (atMs: number) => string;
};

export type OpenSessionInput = { orgId: string; userId: string; caseId: string; personaId: string; log: Logger };

export type OpenedSession = { token: string; systemPrompt: string; firstMessage: string; trainingCallId: string };

/**
 * Opens a session in which a trainee rehearses a case with a persona. It is counted before the provider is asked, and
 * the token is given away only when the call is durable; when either fails, it was not counted.
 *
 * @throws Problem 404 without such a case and persona, 429 above the organization's limit of the UTC day, 503 when the
 * provider or our own tables can't do it right now
 */
export async function openSession(ports: OpenSessionPorts, asked: OpenSessionInput): Promise<OpenedSession> {
  const [script, organization] = await Promise.all([
    findCaseAndPersona(ports.casesAndPersonas, asked),
    ports.organizations.find(asked.orgId),
  ]);
  const taken = await countSession(ports.limiter, asked, organization?.limits);
  try {
    return await createSession(ports, asked, script);
  } catch (cause) {
    await taken.refund();
    throw cause;
  }
}

/** A case or persona that is unknown, another organization's or archived is answered in the same words. */
async function findCaseAndPersona(
  scripts: CaseAndPersonaReader,
  { orgId, ...asked }: OpenSessionInput,
): Promise<CaseAndPersona> {
  const caseId = uuid.safeParse(asked.caseId).data;
  const personaId = uuid.safeParse(asked.personaId).data;
  const found = caseId && personaId ? await scripts.find(orgId, { caseId, personaId }) : undefined;
  if (found?.trainingCase?.archivedAt === null && found.persona !== undefined) {
    return { trainingCase: found.trainingCase, persona: found.persona };
  }
  throw new HttpError(
    404,
    'There is no such case or persona in the organization, or it is archived (body.caseId, body.personaId).',
  );
}

/** An organization's sessions of the UTC day. */
export const dailySessionLimit = (orgId: string, limits?: Organization['limits']): RateLimitPolicy => ({
  name: 'training-sessions',
  partitionKey: orgId,
  limit: limits?.sessionsPerDay ?? SESSIONS_PER_DAY,
  windowSeconds: DAY_SECONDS,
  onOutage: 'deny',
});

async function countSession(
  limiter: RateLimiter,
  { orgId, log }: OpenSessionInput,
  limits: Organization['limits'] | undefined,
): Promise<RateLimitResult> {
  const window = dailySessionLimit(orgId, limits);
  const taken = await limiter.consume(window, log);
  if (!taken.allowed) throw tooManyRequests({ ...window, ...taken });
  return taken;
}

async function createSession(
  ports: OpenSessionPorts,
  { orgId, userId }: OpenSessionInput,
  script: CaseAndPersona,
): Promise<OpenedSession> {
  const { token, conversationId } = await fromProvider(ports.voice, script.persona.agentId);
  const createdAtMs = ports.clock.now();
  const callId = ports.newCallId(createdAtMs);
  const dueAtMs = createdAtMs + FIRST_LOOK_MS;
  const added = await ports.calls.add({ orgId, callId, userId, conversationId, createdAtMs, dueAtMs, ...script });
  if (added === 'conversation_taken') {
    throw unavailable(
      new VoiceProviderError('The voice provider gave the id of a conversation that it had given before.'),
    );
  }
  const { firstMessage, systemPrompt } = await import('./prompts.ts');
  return {
    token,
    systemPrompt: systemPrompt(script.trainingCase, script.persona),
    firstMessage: firstMessage(script.trainingCase, script.persona),
    trainingCallId: callId,
  };
}

async function fromProvider(voice: OpenSessionPorts['voice'], agentId: string): Promise<VoiceSession> {
  const session = await voice.openSession(agentId).catch((cause: unknown) => {
    throw cause instanceof VoiceProviderError ? unavailable(cause) : cause;
  });
  if (session.token !== '' && CONVERSATION_ID.test(session.conversationId)) return session;
  throw unavailable(new VoiceProviderError('The voice provider gave no token, or no id that a conversation can have.'));
}

const unavailable = (cause: VoiceProviderError): HttpError =>
  new HttpError(503, 'The voice provider cannot open a session. Try again shortly.', {
    headers: { 'Retry-After': '5' },
    cause,
  });
