import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import { type Persona, StoredPersona } from '../../../shared/training/persona.ts';
import { createRecordTable } from '../environment/record-table.ts';

export function createDynamoPersonaRepository() {
  const { read, list, put } = createRecordTable('trainingTable');
  return {
    /** Stores a new persona. `put` writes only if the key does not exist yet, so a repeated write changes nothing. */
    add: (orgId: string, persona: Persona) => put(trainingKey.persona(orgId, persona.id), persona),
    list: (orgId: string) => list(StoredPersona, trainingKey.persona(orgId, '')),
    find: (orgId: string, personaId: string) => read(StoredPersona, trainingKey.persona(orgId, personaId)),
  };
}

/**
 * Stores a persona.
 *
 * @throws Error if the write fails. The message names the persona's agent at the voice provider, so that the operator
 *   can reuse the agent.
 */
export async function storePersona(
  { add }: Pick<ReturnType<typeof createDynamoPersonaRepository>, 'add'>,
  orgId: string,
  persona: Persona,
): Promise<void> {
  await add(orgId, persona).catch((cause: unknown) => {
    const agent = `--agent ${persona.agentId}`;
    throw new Error(
      `The persona could not be stored, but its agent exists at the voice provider. Run the command again with ${agent}.`,
      { cause },
    );
  });
}
