import type { Persona } from './persona.ts';
import { GERMAN } from './prompts-de.ts';
import { ENGLISH } from './prompts-en.ts';
import type { TrainingCase } from './training-case.ts';

/** What does not depend on the case or the persona, in one language. */
export type PromptTexts = {
  opening: string;
  who: { heading: string; name: string; character: string; mood: string };
  situation: { heading: string; explained: string };
  objections: { heading: string; explained: string };
  /** How hard the customer is to convince. */
  difficulty: { heading: string } & Record<TrainingCase['difficulty'], string>;
  speech: { heading: string; rules: readonly string[] };
  /** `# Guardrails` in any language: models are known to heed a section of that name most. */
  guardrails: readonly string[];
  greeting: Record<TrainingCase['difficulty'], (name: string) => string>;
};

type Told = Pick<TrainingCase, 'situation' | 'difficulty'>;
type Speaker = Pick<Persona, 'name' | 'language' | 'character' | 'mood' | 'objections'>;

const TEXTS: Record<Persona['language'], PromptTexts> = { de: GERMAN, en: ENGLISH };

/**
 * What makes a voice agent the customer of a case, in the persona's language. Of the case it tells the situation and
 * the difficulty alone: a customer who knew the trainee's objective, or what a good conversation does, would play into
 * their hands; name and description tell as much of it.
 *
 * What an operator or an admin wrote stands in lines that begin with `> `, as no line of ours does: no text of theirs
 * can become an instruction's neighbour, close a section or open one.
 */
export function systemPrompt({ situation, difficulty }: Told, persona: Speaker): string {
  const texts = TEXTS[persona.language];
  const { who, speech } = texts;
  const objections = persona.objections.flatMap(quoted);
  return [
    texts.opening,
    section(
      who.heading,
      ...told(who.name, persona.name),
      ...told(who.character, persona.character),
      ...told(who.mood, persona.mood),
    ),
    section(texts.situation.heading, ...told(texts.situation.explained, situation)),
    ...(objections.length > 0 ? [section(texts.objections.heading, texts.objections.explained, ...objections)] : []),
    section(texts.difficulty.heading, texts.difficulty[difficulty]),
    section(speech.heading, ...speech.rules.map(item)),
    section('Guardrails', ...texts.guardrails.map(item)),
  ].join('\n\n');
}

/** What the customer says first. It leaves it open who called whom, which the situation tells. */
export const firstMessage = ({ difficulty }: Told, { name, language }: Speaker): string =>
  TEXTS[language].greeting[difficulty](linesOf(name).join(' '));

const section = (heading: string, ...lines: string[]): string => [`# ${heading}`, ...lines].join('\n');
const item = (rule: string): string => `- ${rule}`;
const told = (what: string, text: string): string[] => [what, ...quoted(text)];
const quoted = (text: string): string[] => linesOf(text).map((line) => `> ${line}`);

/**
 * The lines of a text, without what can't be heard: controls, invisible characters, and braces, because the provider
 * takes `{{…}}` for a variable and starts no conversation where it has no value for it.
 */
function linesOf(text: string): string[] {
  const lines = text
    .split(/[\n\r\v\f\u0085\u2028\u2029]+/)
    .map((line) =>
      line
        .replace(/\t/g, ' ')
        .replace(/[\p{Cc}\p{Cf}]/gu, '')
        .replaceAll('{', '(')
        .replaceAll('}', ')')
        .trim(),
    )
    .filter((line) => line !== '');
  return lines.length > 0 ? lines : ['-'];
}
