import * as z from 'zod/mini';
import { humanText } from '../http/schemas.ts';

/** Languages that a persona can speak and its prompts are written in. */
export const PERSONA_LANGUAGES = ['de', 'en'] as const;

/** What an operator enters for a new simulated customer. */
export const NewPersona = z.strictObject({
  name: humanText(1, 80),
  language: z.enum(PERSONA_LANGUAGES),
  /** A voice of the provider; its default voice when absent. */
  voiceId: z.optional(humanText(1, 200)),
  character: humanText(1, 500),
  mood: humanText(1, 200),
  objections: z._default(z.array(humanText(1, 200)).check(z.maxLength(10)), []),
});
export type NewPersona = z.output<typeof NewPersona>;

/** A simulated customer. Each has its own agent at the voice provider. */
export const Persona = z.extend(NewPersona, { id: z.guid(), agentId: z.string(), createdAt: z.string() });
export type Persona = z.output<typeof Persona>;

/** Accepts items with additional attributes. */
export const StoredPersona = z.object(Persona.shape);
