import type { TrainingCase } from './training-case.ts';

/** The parts of the prompts that don't depend on the case or persona, in one language. */
export type PromptTexts = {
  opening: string;
  who: { heading: string; name: string; character: string; mood: string };
  situation: { heading: string; explained: string };
  objections: { heading: string; explained: string };
  /** How hard it is to convince the simulated customer. */
  difficulty: { heading: string } & Record<TrainingCase['difficulty'], string>;
  speech: { heading: string; rules: readonly string[] };
  /**
   * The rules under the heading `# Guardrails`. The heading is not translated, because models follow a section with
   * this name most closely.
   */
  guardrails: readonly string[];
  greeting: Record<TrainingCase['difficulty'], (name: string) => string>;
};
