import * as z from 'zod/mini';
import { PERSONA_LANGUAGES } from '../../../shared/training/persona.ts';

const words = (max: number) => z.string().check(z.maxLength(max));

/**
 * A request to simulate a conversation. An agent at the provider learns its case from the session's prompt. The rehearsal
 * agent cannot read prompts, so the request contains the case.
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

/** A line of one speaker. `cutOff`: the trainee interrupts the customer. */
export type ScriptLine = { role: 'user' | 'agent'; text: string; cutOff?: true };

/** A line with its start in whole seconds, as in the provider's transcripts. */
type TimedLine = ScriptLine & { atSeconds: number };
export type ScriptedConversation = { lines: TimedLine[]; seconds: number };

type NonEmpty<T> = readonly [T, ...T[]];

/** The phrases of a language, for any case. Lists are used in order and start over at the end. */
export type Phrases = {
  opening: (name: string) => string;
  greeting: string;
  /** The customer's long answers: a good trainee lets the customer speak. */
  answers: NonEmpty<string>;
  agenda: (objective: string) => string;
  consent: string;
  /** A sentence with which the trainee does one of the case's dos. */
  doing: (label: string) => string;
  /** Matches dos that belong at the end of a conversation. */
  isClosing: RegExp;
  /** Open questions first, then closed ones. */
  questions: NonEmpty<string>;
  objecting: NonEmpty<(objection: string) => string>;
  understanding: NonEmpty<string>;
  nextStep: string;
  accepting: string;
  goodbye: string;
  /** The monologue of a poor trainee, about prices and the company. */
  pitch: readonly string[];
  protests: NonEmpty<string>;
  leaving: string;
  /** Words per minute of a calm trainee, a hurried trainee and the customer. */
  pace: { calm: number; hurried: number; customer: number };
};
