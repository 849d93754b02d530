import * as z from 'zod/mini';
import { PERSONA_LANGUAGES } from '../../../shared/training/persona.ts';

const words = (max: number) => z.string().check(z.maxLength(max));

/**
 * What a rehearsal is about. An agent at the provider knows its case from the prompt that a session brings; the
 * rehearsal agent understands no prompt, so that whoever rehearses gives it the material.
 */
export const Rehearsal = z.object({
  signed_url: words(2_000),
  script: z.enum(['good', 'poor', 'unreachable']),
  language: z.enum(PERSONA_LANGUAGES),
  first_message: z.optional(words(2_000)),
  case: z.object({ objective: words(2_000), dos: z.array(z.object({ label: words(1_000) })).check(z.maxLength(50)) }),
  persona: z.object({ name: words(400), objections: z.array(words(1_000)).check(z.maxLength(50)) }),
});
export type Rehearsal = z.infer<typeof Rehearsal>;

/** What one of the two says. `cutOff`: the trainee does not let the customer finish. */
export type ScriptLine = { role: 'user' | 'agent'; text: string; cutOff?: true };

/** A line and when it begins, in whole seconds as the provider tells it. */
type TimedLine = ScriptLine & { atSeconds: number };
export type ScriptedConversation = { lines: TimedLine[]; seconds: number };

type Several<T> = readonly [T, ...T[]];

/** What people say in a language, whatever the case. What there are several of is used one after the other. */
export type Phrases = {
  opening: (name: string) => string;
  greeting: string;
  /** The customer's, at length: a good trainee lets them speak. */
  answers: Several<string>;
  agenda: (objective: string) => string;
  consent: string;
  /** Something the case asks for, in a sentence of the trainee's. */
  doing: (label: string) => string;
  /** Whether something that the case asks for belongs at the end of a talk. */
  isClosing: RegExp;
  /** Open ones before those that check. */
  questions: Several<string>;
  objecting: Several<(objection: string) => string>;
  understanding: Several<string>;
  nextStep: string;
  accepting: string;
  goodbye: string;
  /** What a poor trainee talks about: prices and themselves. */
  pitch: readonly string[];
  protests: Several<string>;
  leaving: string;
  /** Words a minute of a calm and of a hurried trainee, and of the customer. */
  pace: { calm: number; hurried: number; customer: number };
};
