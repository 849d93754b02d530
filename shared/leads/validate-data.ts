import type { Field } from '../funnels/funnel.ts';
import { validateBoolean, validateChoice, validateChoices } from './fields/choice.ts';
import { validateEmail } from './fields/email.ts';
import type { FieldResult, FieldValidator, ValidationErrorCode } from './fields/field-validator.ts';
import { validateInteger, validateNumber, validateRating } from './fields/number.ts';
import { validateAddress, validateFile, validateJson } from './fields/structured.ts';
import { createTextValidator, validateDate, validateUrl } from './fields/text.ts';

/** The numbering plans of all countries are a fifth of the bundle: only a funnel that asks for a number loads them. */
const phone = async (...given: Parameters<FieldValidator>): Promise<FieldResult> => {
  const { validatePhone: phone } = await import('./fields/phone.ts');
  return phone(...given);
};

const FIELD_VALIDATORS: Record<Field['type'], FieldValidator | typeof phone> = {
  text: createTextValidator(2_000),
  long_text: createTextValidator(20_000),
  email: validateEmail,
  phone,
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

/** Per key of `data` the JSON text to store, or null to clear it. */
export type DataChanges = Map<string, string | null>;

/** What is to be stored of a submission, and what is wrong with the rest. */
export type DataValidationResult = { changes: DataChanges; errors: ValidationError[] };

/** What a funnel version says about `data`; `country` is the funnel's. */
export type ValidationRules = { fields: readonly Field[]; country?: string | undefined };

/**
 * Judges `data` by the fields that a funnel version declares: what is valid or undeclared is to be stored, the rest
 * is named. `required` is judged for the fields of the submitted step only, and on this request alone.
 *
 * @param members the members of `data` as they were sent (see `membersOf`)
 */
export async function validateData(
  members: ReadonlyMap<string, string>,
  rules: ValidationRules,
  stepId: string | undefined,
): Promise<DataValidationResult> {
  const declared = new Map(rules.fields.map((field) => [field.id, field]));
  const changes: DataChanges = new Map();
  const errors: ValidationError[] = [];
  for (const [key, sent] of members) {
    const verdict = await validateValue(sent, declared.get(key), rules.country);
    if ('fault' in verdict) errors.push({ field: key, code: verdict.fault, message: verdict.message });
    else changes.set(key, verdict.json);
  }
  const refused = new Set(errors.map(({ field }) => field));
  for (const field of declared.values()) {
    if (!isMissing(field, stepId, changes) || refused.has(field.id)) continue;
    errors.push({ field: field.id, code: 'required', message: 'The field is required.' });
    if (changes.get(field.id) === null) changes.delete(field.id);
  }
  return { changes, errors };
}

function validateValue(
  sent: string,
  field: Field | undefined,
  country: string | undefined,
): FieldResult | Promise<FieldResult> {
  if (sent === 'null' || sent === '""') return { json: null };
  if (field === undefined) return { json: sent };
  const value: unknown = JSON.parse(sent);
  return FIELD_VALIDATORS[field.type]({ value, json: sent }, field, country);
}

/** A consent that is required is missing until it is given; a refusal is stored all the same: it withdraws an earlier one. */
function isMissing(field: Field, stepId: string | undefined, changes: DataChanges): boolean {
  if (!field.required || stepId === undefined || field.stepId !== stepId) return false;
  const given = changes.get(field.id) ?? null;
  return given === null || (field.type === 'consent' && given === 'false');
}
