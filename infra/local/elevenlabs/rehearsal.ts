import * as z from 'zod/mini';
import { PERSONA_LANGUAGES } from '../../../shared/training/persona.ts';

const words = (max: number) => z.string().check(z.maxLength(max));

/**
 * A request to simulate a conversation. An agent at the provider gets the case in the prompt. The rehearsal agent
 * cannot read prompts. Therefore the request contains the case and the persona.
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

/** A line of one speaker. `cutOff`: the trainee interrupts the customer during this line. */
export type ScriptLine = { role: 'user' | 'agent'; text: string; cutOff?: true };

/** A line with its start in whole seconds, the unit of the provider's transcripts. */
type TimedLine = ScriptLine & { atSeconds: number };
export type ScriptedConversation = { lines: TimedLine[]; seconds: number };

type NonEmpty<T> = readonly [T, ...T[]];

/**
 * The phrases of a language. The same phrases are used for every case. Phrases in a `NonEmpty` list are used in order
 * and then repeated.
 */
export type Phrases = {
  opening: (name: string) => string;
  greeting: string;
  /** The customer's long responses to a good trainee. */
  answers: NonEmpty<string>;
  agenda: (objective: string) => string;
  consent: string;
  /** Returns a sentence with which the trainee shows the do with this label. */
  doing: (label: string) => string;
  /** Matches dos that belong at the end of a conversation. */
  isClosing: RegExp;
  /** The questions of a good trainee, most of them open. */
  questions: NonEmpty<string>;
  objecting: NonEmpty<(objection: string) => string>;
  understanding: NonEmpty<string>;
  nextStep: string;
  accepting: string;
  goodbye: string;
  /** The sentences of a poor trainee, about prices and the company. */
  pitch: readonly string[];
  protests: NonEmpty<string>;
  leaving: string;
  /** Words per minute of a calm trainee, a hurried trainee and the customer. */
  pace: { calm: number; hurried: number; customer: number };
};
