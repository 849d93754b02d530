import * as z from 'zod/mini';
import { StoredPersona } from '../persona.ts';
import type { CaseAndPersonaReader } from '../ports.ts';
import { TrainingCase } from '../training-case.ts';
import { readItems } from './open-session-batches.ts';
import { trainingKey } from './training-table.ts';

export function createDynamoCaseAndPersonaReader(): CaseAndPersonaReader {
  return {
    find: async (orgId, { caseId, personaId }) => {
      const keys = {
        trainingCase: trainingKey.trainingCase(orgId, caseId),
        persona: trainingKey.persona(orgId, personaId),
      };
      const items = await readItems(Object.values(keys));
      const itemOf = ({ sk }: { sk: string }) => items.find((item) => item.sk === sk);
      return {
        trainingCase: z.optional(TrainingCase).parse(itemOf(keys.trainingCase)),
        persona: z.optional(StoredPersona).parse(itemOf(keys.persona)),
      };
    },
  };
}
