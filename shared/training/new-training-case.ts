import * as z from 'zod/mini';
import { withDocs } from '../http/schema-docs.ts';
import { humanText, opaqueString, strictObject } from '../http/schemas.ts';
import { DIFFICULTIES, type TrainingCase } from './training-case.ts';

const NewDo = strictObject({ id: z.optional(opaqueString(1, 100)), label: humanText(1, 200) });

export const NewTrainingCase = withDocs(
  strictObject({
    name: humanText(1, 80),
    description: humanText(1, 200),
    situation: humanText(1, 1000),
    objective: humanText(1, 500),
    successCriteria: humanText(1, 500),
    difficulty: z._default(z.enum(DIFFICULTIES), 'medium'),
    dos: z
      .array(NewDo)
      .check(z.minLength(1, 'must have 1 to 10 elements'), z.maxLength(10, 'must have 1 to 10 elements')),
  }).check(
    z.superRefine(({ dos }, context) => {
      const seen = new Set<string>();
      dos.forEach(({ id }, index) => {
        if (id !== undefined && seen.has(id)) {
          context.addIssue({ code: 'custom', path: ['dos', index, 'id'], message: 'must be unique within dos' });
        }
        if (id !== undefined) seen.add(id);
      });
    }),
  ),
  { id: 'NewTrainingCase' },
);
export type NewTrainingCase = z.output<typeof NewTrainingCase>;

/** Each do without an id gets a new id. */
export function createTrainingCase(newCase: NewTrainingCase, newId: () => string): TrainingCase {
  return {
    ...newCase,
    id: newId(),
    dos: newCase.dos.map(({ id, label }) => ({ id: id ?? newId(), label })),
    archivedAt: null,
  };
}
