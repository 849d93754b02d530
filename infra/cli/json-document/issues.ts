import { closestWord } from '../closest-word.ts';

/** A path in a JSON document: property names and list indexes, outermost first. */
export type Path = readonly PropertyKey[];

export type ValidationIssue = {
  at: Path;
  message: string;
  /** An unknown word and the known words. The message suggests the closest known word. */
  unknown?: { word: string; known: Iterable<string> };
};

/** An issue as shown to the author of the file. */
export type ReportedIssue = {
  /** Path of the value, for example `fields[2].choices[0]`; empty for the whole file. */
  path: string;
  /** Line number, from 1. */
  line: number;
  /** Column in characters, from 1. A tab is one character. */
  column: number;
  message: string;
};

/** Returns the message as a sentence, with a suggestion if a known word is close to the unknown word. */
export function issueMessage({ message, unknown }: ValidationIssue): string {
  const near = unknown && closestWord(unknown.word, unknown.known);
  const whole = near === undefined ? message : `${message}; did you mean "${near}"?`;
  return whole.endsWith('?') ? whole : `${whole}.`;
}

/** Formats a path, for example as `verification.messages["de-AT"].sms`. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = cut(String(part));
    if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');

const SHOWN_CHARACTERS = 60;

/** Quotes a text from the file, and truncates it to fit into a sentence. */
export const quoteShortened = (text: string): string => `"${cut(text)}"`;

function cut(text: string): string {
  const characters = Array.from(text.slice(0, 2 * SHOWN_CHARACTERS + 2));
  return characters.length > SHOWN_CHARACTERS ? `${characters.slice(0, SHOWN_CHARACTERS).join('')}…` : text;
}
