import { coverageByRules } from '../../../../shared/training/analysis/coverage.ts';
import { traineeSentences } from '../../../../shared/training/analysis/sentences.ts';

/** A do's label, what a trainee says, and whether that covers it. */
export type Example = readonly [label: string, said: string, covered: boolean];

export const isCovered = (label: string, said: string, language: string): boolean => {
  const sentences = traineeSentences([{ role: 'user', message: said, timeInCallSecs: 0 }], language);
  return coverageByRules([{ id: 'do', label }], sentences, language).some(({ covered }) => covered);
};

/** How far the rules are right about these. */
export function measured(examples: readonly Example[], language: string) {
  const found = examples.filter(([label, said]) => isCovered(label, said, language));
  const right = found.filter(([, , covered]) => covered).length;
  return { precision: right / found.length, recall: right / examples.filter(([, , covered]) => covered).length };
}
