import type { Field } from '../../funnels/funnel.ts';
import { normalizeText } from '../../platform/normalize-text.ts';

export const VALIDATION_ERROR_CODES = ['required', 'type', 'format', 'length', 'range', 'choice', 'file'] as const;
export type ValidationErrorCode = (typeof VALIDATION_ERROR_CODES)[number];

/** A value as it was sent: parsed, and its JSON text. */
export type FieldInput = { value: unknown; json: string };

/** What to store, as JSON text (null: nothing, which clears the key), or what is wrong with the value. */
export type FieldResult = { json: string | null } | { fault: ValidationErrorCode; message: string };

/** Judges one value of a declared field; never called for `null` and `""`. @param country the funnel's */
export type FieldValidator = (answer: FieldInput, field: Field, country: string | undefined) => FieldResult;

export const accept = (value: unknown): FieldResult => ({ json: JSON.stringify(value) });
export const cleared: FieldResult = { json: null };
export const reject = (fault: ValidationErrorCode, message: string): FieldResult => ({ fault, message });
export const tooLong = (charactersMax: number): FieldResult =>
  reject('length', `Must have at most ${charactersMax} characters.`);

/** A rule for values written as text; text that is blank after trimming clears. */
export const textValidator =
  (judge: (text: string, field: Field, country: string | undefined) => FieldResult): FieldValidator =>
  ({ value }, field, country) => {
    if (typeof value !== 'string') return reject('type', 'Must be text.');
    const text = normalizeText(value);
    return text === '' ? cleared : judge(text, field, country);
  };
