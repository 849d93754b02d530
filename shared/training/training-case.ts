import * as z from 'zod/mini';
import { withDocs } from '../http/schema-docs.ts';

export const DIFFICULTIES = ['easy', 'medium', 'hard'] as const;

export const TrainingCase = withDocs(
  z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    situation: z.string(),
    objective: z.string(),
    successCriteria: z.string(),
    difficulty: z.enum(DIFFICULTIES),
    dos: z.array(z.object({ id: z.string(), label: z.string() })),
    /** ISO 8601 UTC with milliseconds, or null. */
    archivedAt: z.nullable(z.string()),
  }),
  { id: 'TrainingCase' },
);
export type TrainingCase = z.output<typeof TrainingCase>;
