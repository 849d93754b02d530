import type { Field } from '../../directory/funnel.ts';
import { tidy } from '../../http/tidy.ts';

export const FAULT_CODES = ['required', 'type', 'format', 'length', 'range', 'choice', 'file'] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** A value as it was sent: parsed, and its JSON text. */
export type Answer = { value: unknown; json: string };

/** What to store, as JSON text (null: nothing, which clears the key), or what is wrong with the value. */
export type Verdict = { json: string | null } | { fault: FaultCode; message: string };

/** Judges one value of a declared field; never called for `null` and `""`. @param country the funnel's */
export type Rule = (answer: Answer, field: Field, country: string | undefined) => Verdict;

export const keep = (value: unknown): Verdict => ({ json: JSON.stringify(value) });
export const cleared: Verdict = { json: null };
export const refuse = (fault: FaultCode, message: string): Verdict => ({ fault, message });
export const tooLong = (charactersMax: number): Verdict =>
  refuse('length', `Must have at most ${charactersMax} characters.`);

/** A rule for values written as text; text that is blank after trimming clears. */
export const textRule =
  (judge: (text: string, field: Field, country: string | undefined) => Verdict): Rule =>
  ({ value }, field, country) => {
    if (typeof value !== 'string') return refuse('type', 'Must be text.');
    const text = tidy(value);
    return text === '' ? cleared : judge(text, field, country);
  };
