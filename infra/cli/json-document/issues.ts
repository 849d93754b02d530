import { closestWord } from '../closest-word.ts';

/** A path in a JSON document: property names and list indexes, outermost first. */
export type Path = readonly PropertyKey[];

/** An issue at a path. */
export type ValidationIssue = {
  at: Path;
  message: string;
  /** An unknown word and the known words. The message suggests the closest known word. */
  unknown?: { word: string; known: Iterable<string> };
};

/** An issue as shown to the author of the file. */
export type ReportedIssue = {
  /** For example `fields[2].choices[0]`; empty for the file as a whole. */
  path: string;
  /** From 1. */
  line: number;
  /** In characters, from 1. A tab is one character. */
  column: number;
  message: string;
};

/** The message as a sentence, with a suggestion if a known word is close. */
export function issueMessage({ message, unknown }: ValidationIssue): string {
  const near = unknown && closestWord(unknown.word, unknown.known);
  const whole = near === undefined ? message : `${message}; did you mean "${near}"?`;
  return whole.endsWith('?') ? whole : `${whole}.`;
}

/** A path in readable notation: `verification.messages["de-AT"].sms`. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = cut(String(part));
    if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');

const SHOWN_CHARACTERS = 60;

/** A text from the file in quotes, truncated to fit a sentence. */
export const quoteShortened = (text: string): string => `"${cut(text)}"`;

function cut(text: string): string {
  const characters = Array.from(text.slice(0, 2 * SHOWN_CHARACTERS + 2));
  return characters.length > SHOWN_CHARACTERS ? `${characters.slice(0, SHOWN_CHARACTERS).join('')}…` : text;
}
