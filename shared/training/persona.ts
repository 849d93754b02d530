import * as z from 'zod/mini';
import { humanText } from '../http/schemas.ts';

/** Languages that a persona can speak. The prompts of a persona are written in its language. */
export const PERSONA_LANGUAGES = ['de', 'en'] as const;

/** What an operator enters for a new simulated customer. */
export const NewPersona = z.strictObject({
  name: humanText(1, 80),
  language: z.enum(PERSONA_LANGUAGES),
  /** Id of a voice at the voice provider. If it is absent, the provider uses its default voice. */
  voiceId: z.optional(humanText(1, 200)),
  character: humanText(1, 500),
  mood: humanText(1, 200),
  objections: z._default(z.array(humanText(1, 200)).check(z.maxLength(10)), []),
});
export type NewPersona = z.output<typeof NewPersona>;

/** A simulated customer. Each persona has its own agent at the voice provider. */
export const Persona = z.extend(NewPersona, { id: z.guid(), agentId: z.string(), createdAt: z.string() });
export type Persona = z.output<typeof Persona>;

/** Drops unknown properties instead of rejecting them, because a stored item also contains its key. */
export const StoredPersona = z.object(Persona.shape);
