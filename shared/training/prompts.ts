import type { Persona } from './persona.ts';
import type { PromptTexts } from './prompt-texts.ts';
import { GERMAN } from './prompts-de.ts';
import { ENGLISH } from './prompts-en.ts';
import type { TrainingCase } from './training-case.ts';

const TEXTS: Record<Persona['language'], PromptTexts> = { de: GERMAN, en: ENGLISH };

/**
 * The parts of the case that the simulated customer may know. A customer who knew the trainee's objective or the dos
 * would help the trainee.
 */
type CaseOfPrompt = Pick<TrainingCase, 'situation' | 'difficulty'>;
type PersonaOfPrompt = Pick<Persona, 'name' | 'language' | 'character' | 'mood' | 'objections'>;

/**
 * The system prompt of the simulated customer, in the persona's language. Every line that an operator or admin wrote
 * begins with `> `, and no other line does. Therefore these lines cannot begin a section and do not look like
 * instructions.
 */
export function systemPrompt({ situation, difficulty }: CaseOfPrompt, persona: PersonaOfPrompt): string {
  const texts = TEXTS[persona.language];
  const { who, speech } = texts;
  const objections = persona.objections.flatMap(quotedLines);
  return [
    texts.opening,
    section(
      who.heading,
      ...labelled(who.name, persona.name),
      ...labelled(who.character, persona.character),
      ...labelled(who.mood, persona.mood),
    ),
    section(texts.situation.heading, ...labelled(texts.situation.explained, situation)),
    ...(objections.length > 0 ? [section(texts.objections.heading, texts.objections.explained, ...objections)] : []),
    section(texts.difficulty.heading, texts.difficulty[difficulty]),
    section(speech.heading, ...speech.rules.map(listItem)),
    section('Guardrails', ...texts.guardrails.map(listItem)),
  ].join('\n\n');
}

/**
 * The simulated customer's first words. They suit both a customer who calls and a customer who is called, because the
 * situation can be either.
 */
export const firstMessage = ({ difficulty }: CaseOfPrompt, { name, language }: PersonaOfPrompt): string =>
  TEXTS[language].greeting[difficulty](sanitizedLines(name).join(' '));

const section = (heading: string, ...lines: string[]): string => [`# ${heading}`, ...lines].join('\n');
const listItem = (rule: string): string => `- ${rule}`;
const labelled = (label: string, text: string): string[] => [label, ...quotedLines(text)];
const quotedLines = (text: string): string[] => sanitizedLines(text).map((line) => `> ${line}`);

/**
 * Returns the lines of a text, without control characters and invisible characters. Braces become parentheses, because
 * the provider reads `{{…}}` as a variable and starts no conversation when the variable has no value.
 */
function sanitizedLines(text: string): string[] {
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
