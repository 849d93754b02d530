import type { Field } from '../funnels/funnel.ts';
import { validateBoolean, validateChoice, validateChoices } from './fields/choice.ts';
import { validateEmail } from './fields/email.ts';
import type { FieldResult, FieldValidator, ValidationErrorCode } from './fields/field-validator.ts';
import { validateInteger, validateNumber, validateRating } from './fields/number.ts';
import { validateAddress, validateFile, validateJson } from './fields/structured.ts';
import { createTextValidator, validateDate, validateUrl } from './fields/text.ts';

/** `fields/phone.ts` is loaded on first use, because it contains the numbering plans of all countries (ADR 0017). */
const validatePhone = async (...args: Parameters<FieldValidator>): Promise<FieldResult> => {
  const phone = await import('./fields/phone.ts');
  return phone.validatePhone(...args);
};

const FIELD_VALIDATORS: Record<Field['type'], FieldValidator | typeof validatePhone> = {
  text: createTextValidator(2_000),
  long_text: createTextValidator(20_000),
  email: validateEmail,
  phone: validatePhone,
  url: validateUrl,
  number: validateNumber,
  integer: validateInteger,
  boolean: validateBoolean,
  date: validateDate,
  choice: validateChoice,
  choices: validateChoices,
  rating: validateRating,
  file: validateFile,
  consent: validateBoolean,
  address: validateAddress,
  json: validateJson,
};

export type ValidationError = { field: string; code: ValidationErrorCode; message: string };

/** The JSON text to store for each key of `data`; null clears the key. */
export type DataChanges = Map<string, string | null>;

export type DataValidationResult = { changes: DataChanges; errors: ValidationError[] };

/** The part of a funnel version that validates `data`. */
export type ValidationRules = { fields: readonly Field[]; country?: string | undefined };

/**
 * Validates `data` against the declared fields. Valid and undeclared values become changes, and invalid values become
 * errors. If a field is `required`, a submit of its step must contain a value for it.
 *
 * @param data the properties of `data`, each as the JSON text that was sent (see `parseRawProperties`)
 */
export async function validateData(
  data: ReadonlyMap<string, string>,
  rules: ValidationRules,
  stepId: string | undefined,
): Promise<DataValidationResult> {
  const declared = new Map(rules.fields.map((field) => [field.id, field]));
  const changes: DataChanges = new Map();
  const errors: ValidationError[] = [];
  for (const [key, json] of data) {
    const result = await validateValue(json, declared.get(key), rules.country);
    if ('code' in result) errors.push({ field: key, ...result });
    else changes.set(key, result.json);
  }
  const invalid = new Set(errors.map(({ field }) => field));
  for (const field of declared.values()) {
    if (!isMissing(field, stepId, changes) || invalid.has(field.id)) continue;
    errors.push({ field: field.id, code: 'required', message: 'The field is required.' });
    // The stored value stays, because a required field cannot be cleared.
    if (changes.get(field.id) === null) changes.delete(field.id);
  }
  return { changes, errors };
}

function validateValue(
  json: string,
  field: Field | undefined,
  country: string | undefined,
): FieldResult | Promise<FieldResult> {
  if (json === 'null' || json === '""') return { json: null };
  if (field === undefined) return { json };
  const value: unknown = JSON.parse(json);
  return FIELD_VALIDATORS[field.type]({ value, json }, field, country);
}

/**
 * Whether a required value is missing. If a visitor refuses a required consent, it counts as missing. The refusal is
 * stored nevertheless, because it withdraws an earlier consent.
 */
function isMissing(field: Field, stepId: string | undefined, changes: DataChanges): boolean {
  if (!field.required || stepId === undefined || field.stepId !== stepId) return false;
  const json = changes.get(field.id) ?? null;
  return json === null || (field.type === 'consent' && json === 'false');
}
