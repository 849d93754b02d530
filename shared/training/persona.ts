import * as z from 'zod';
import { text } from '../http/schemas.ts';

/** Languages that a persona can speak and its prompts are written in. */
export const PERSONA_LANGUAGES = ['de', 'en'] as const;

/** What an operator says of a simulated customer. */
export const NewPersona = z.strictObject({
  name: text(1, 80),
  language: z.enum(PERSONA_LANGUAGES),
  /** The voice at the provider; absent: the provider's own choice. */
  voiceId: text(1, 200).optional(),
  character: text(1, 500),
  mood: text(1, 200),
  objections: z.array(text(1, 200)).max(10).default([]),
});
export type NewPersona = z.output<typeof NewPersona>;

/** A simulated customer. Each has an agent of its own at the voice provider. */
export const Persona = NewPersona.extend({ id: z.guid(), agentId: z.string(), createdAt: z.string() });
export type Persona = z.output<typeof Persona>;
