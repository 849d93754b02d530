import type { Clock } from '../../../shared/platform/clock.ts';
import type { NewPersona, Persona } from '../../../shared/training/persona.ts';
import type { VoiceProvider } from '../../../shared/training/voice-provider.ts';

export type PersonaRepository = {
  add(orgId: string, persona: Persona): Promise<void>;
  list(orgId: string): AsyncIterable<Persona>;
  find(orgId: string, personaId: string): Promise<Persona | undefined>;
};

type Ports = {
  personas: Pick<PersonaRepository, 'add'>;
  voice: Pick<VoiceProvider, 'createAgent'>;
  clock: Clock;
  newId: () => string;
};

/**
 * Adds a persona with its own agent at the voice provider to an organization.
 *
 * @param agentId of an existing agent; undefined: creates one
 * @throws VoiceFailure, and Error with the agent's name if an agent was created but not used
 */
export async function addPersona(
  { personas, voice, clock, newId }: Ports,
  orgId: string,
  said: NewPersona,
  agentId: string | undefined,
): Promise<Persona> {
  const agent = agentId ?? (await voice.createAgent(said));
  const persona = { ...said, id: newId(), agentId: agent, createdAt: new Date(clock.now()).toISOString() };
  await personas.add(orgId, persona).catch((cause: unknown) => {
    throw new Error(`The persona could not be stored, but it has an agent: try again with --agent ${agent}.`, {
      cause,
    });
  });
  return persona;
}
