import { accept, cleared, type FieldInput, type FieldResult, type FieldValidator, reject } from './field-validator.ts';

const PLAIN = 'number without a unit or thousands separators';
const RATING = { min: 1, max: 5 };
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const FORM_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Matches a number in groups: sign and first digits, groups of three digits with their separator, optional fraction.
 */
const GROUPED = /^([+-]?[1-9]\d{0,2})(([.,\s'’])\d{3}(?:\3\d{3})*)(?:([.,])(\d+))?$/;
const COMMA = /^[+-]?\d*,\d+$/;

/**
 * Accepts finite numbers within the field's bounds. Keeps all digits of a number in JSON format, because a double has
 * only 53 bits.
 */
export const validateNumber: FieldValidator = (input, { min, max }) => {
  if (isBlank(input)) return cleared;
  const number = parseNumber(input);
  if (number === undefined) return reject('type', `Must be a ${PLAIN}.`);
  return rejectOutOfRange(number.value, min, max) ?? { json: number.digits };
};

/** Accepts safe integers, which every JSON parser represents exactly. */
export const validateInteger: FieldValidator = (input, { min, max }) => {
  if (isBlank(input)) return cleared;
  const number = hasThousandsPoint(input) ? undefined : parseNumber(input);
  if (number === undefined || (Number.isFinite(number.value) && !Number.isInteger(number.value))) {
    return reject('type', `Must be a whole ${PLAIN}.`);
  }
  const least = Math.max(min ?? -Infinity, Number.MIN_SAFE_INTEGER);
  const most = Math.min(max ?? Infinity, Number.MAX_SAFE_INTEGER);
  return rejectOutOfRange(number.value, least, most) ?? accept(number.value);
};

export const validateRating: FieldValidator = (input, field, country) =>
  validateInteger(input, { ...RATING, ...field }, country);

/** Whether the value is blank text, which forms send for an empty input. */
const isBlank = ({ value }: FieldInput): boolean => typeof value === 'string' && value.trim() === '';

/** Whether a text is ambiguous as a whole number: `1.000` means one thousand or one, depending on the country. */
const hasThousandsPoint = ({ value }: FieldInput): boolean =>
  typeof value === 'string' && /^\s*[+-]?\d{1,3}\.\d{3}\s*$/.test(value);

function parseNumber({ value, json }: FieldInput): { value: number; digits: string } | undefined {
  if (typeof value === 'number') return { value, digits: json };
  if (typeof value !== 'string') return undefined;
  const digits = normalizeSeparators(value.trim());
  if (!FORM_NUMBER.test(digits)) return undefined;
  const parsed = Number(digits);
  return { value: parsed, digits: JSON_NUMBER.test(digits) ? digits : JSON.stringify(parsed) };
}

/**
 * Converts the number formats of different countries to a decimal point without grouping: `85,5`, `1.234,56`,
 * `1,234.56`, `1 234,5`. `1,234` is ambiguous and stays unchanged, so that it is rejected. `1.234` stays unchanged and
 * is a fraction, because number inputs of browsers send fractions in this format.
 */
function normalizeSeparators(text: string): string {
  const [, first = '', groups = '', separator, point, fraction] = GROUPED.exec(text) ?? [];
  if (separator === undefined) return COMMA.test(text) ? text.replace(',', '.') : text;
  const isAmbiguous = groups.length === 4 && point === undefined && /[.,]/.test(separator);
  if (isAmbiguous || point === separator) return text;
  return `${first}${groups.replaceAll(separator, '')}${point === undefined ? '' : `.${fraction}`}`;
}

/** Rejects a number outside of its bounds, and a number such as 1e400, which is parsed as infinity. */
function rejectOutOfRange(value: number, min: number | undefined, max: number | undefined): FieldResult | undefined {
  if (Number.isFinite(value) && value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return undefined;
  const bounds = [min === undefined ? [] : `at least ${min}`, max === undefined ? [] : `at most ${max}`].flat();
  return reject('range', `Must be ${bounds.length > 0 ? bounds.join(' and ') : 'a finite number'}.`);
}
