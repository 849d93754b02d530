import type { Field } from '../../funnels/funnel.ts';
import { normalizeText } from '../../platform/normalize-text.ts';

export const VALIDATION_ERROR_CODES = ['required', 'type', 'format', 'length', 'range', 'choice', 'file'] as const;
export type ValidationErrorCode = (typeof VALIDATION_ERROR_CODES)[number];

/** A submitted value, parsed and as JSON text. */
export type FieldInput = { value: unknown; json: string };

/** The JSON text to store (null clears the key), or an error. */
export type FieldResult = { json: string | null } | { code: ValidationErrorCode; message: string };

/** Validates a value of a declared field. Not called for `null` and `""`. @param country of the funnel version */
export type FieldValidator = (input: FieldInput, field: Field, country: string | undefined) => FieldResult;

export const accept = (value: unknown): FieldResult => ({ json: JSON.stringify(value) });
export const cleared: FieldResult = { json: null };
export const reject = (code: ValidationErrorCode, message: string): FieldResult => ({ code, message });
export const tooLong = (charactersMax: number): FieldResult =>
  reject('length', `Must have at most ${charactersMax} characters.`);

/** Creates a validator for values sent as text. Text that is blank after normalization clears the key. */
export const textValidator =
  (validate: (text: string, field: Field, country: string | undefined) => FieldResult): FieldValidator =>
  ({ value }, field, country) => {
    if (typeof value !== 'string') return reject('type', 'Must be text.');
    const text = normalizeText(value);
    return text === '' ? cleared : validate(text, field, country);
  };
