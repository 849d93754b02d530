import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import { type Persona, StoredPersona } from '../../../shared/training/persona.ts';
import { createRecordTable } from '../environment/record-table.ts';

/** Operators' access to personas in the training table. */
export function createDynamoPersonaRepository() {
  const { read, list, put } = createRecordTable('trainingTable');
  return {
    /** Each id is new, so a repeated write changes nothing. */
    add: (orgId: string, persona: Persona) => put(trainingKey.persona(orgId, persona.id), persona),
    list: (orgId: string) => list(StoredPersona, trainingKey.persona(orgId, '')),
    find: (orgId: string, personaId: string) => read(StoredPersona, trainingKey.persona(orgId, personaId)),
  };
}

/** Stores a persona. @throws Error that names its agent at the voice provider, so that the agent can be used again */
export async function storePersona(
  { add }: Pick<ReturnType<typeof createDynamoPersonaRepository>, 'add'>,
  orgId: string,
  persona: Persona,
): Promise<void> {
  await add(orgId, persona).catch((cause: unknown) => {
    const agent = `--agent ${persona.agentId}`;
    throw new Error(`The persona could not be stored, but it has an agent: try again with ${agent}.`, { cause });
  });
}
