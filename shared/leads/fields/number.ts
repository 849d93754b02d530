import { accept, cleared, type FieldInput, type FieldResult, type FieldValidator, reject } from './field-validator.ts';

const PLAIN = 'number without a unit or separators';
const RATING = { min: 1, max: 5 };
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const FORM_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Sign and first digits, groups of three with their separator, perhaps a fraction. */
const GROUPED = /^([+-]?[1-9]\d{0,2})(([.,\s'’])\d{3}(?:\3\d{3})*)(?:([.,])(\d+))?$/;
const COMMA = /^[+-]?\d*,\d+$/;

/** Any finite number. Its digits are kept as they came, so that none is lost to a double's 53 bits. */
export const validateNumber: FieldValidator = (answer, { min, max }) => {
  if (isBlank(answer)) return cleared;
  const read = readNumber(answer);
  if (read === undefined) return reject('type', `Must be a ${PLAIN}.`);
  return outside(read.value, min, max) ?? { json: read.digits };
};

/** A whole number that every JSON reader holds exactly. */
export const validateInteger: FieldValidator = (answer, { min, max }) => {
  if (isBlank(answer)) return cleared;
  const read = isThousands(answer) ? undefined : readNumber(answer);
  if (read === undefined || (Number.isFinite(read.value) && !Number.isInteger(read.value))) {
    return reject('type', `Must be a whole ${PLAIN}.`);
  }
  const least = Math.max(min ?? -Infinity, Number.MIN_SAFE_INTEGER);
  const most = Math.min(max ?? Infinity, Number.MAX_SAFE_INTEGER);
  return outside(read.value, least, most) ?? accept(read.value);
};

export const validateRating: FieldValidator = (answer, field, country) =>
  validateInteger(answer, { ...RATING, ...field }, country);

/** A form's empty input. */
const isBlank = ({ value }: FieldInput): boolean => typeof value === 'string' && value.trim() === '';

/** `1.000` is a thousand to some people and one to others: as a whole number it is nobody's guess. */
const isThousands = ({ value }: FieldInput): boolean =>
  typeof value === 'string' && /^\s*[+-]?\d{1,3}\.\d{3}\s*$/.test(value);

function readNumber({ value, json }: FieldInput): { value: number; digits: string } | undefined {
  if (typeof value === 'number') return { value, digits: json };
  if (typeof value !== 'string') return undefined;
  const digits = withPoint(value.trim());
  if (!FORM_NUMBER.test(digits)) return undefined;
  const read = Number(digits);
  return { value: read, digits: JSON_NUMBER.test(digits) ? digits : JSON.stringify(read) };
}

/**
 * A number as people write it, with a decimal point and nothing between its digits: `85,5`, `1.234,56`, `1,234.56`,
 * `1 234,5`. A single `1,234` may mean either and stays as it is, which is no number; `1.234` is how inputs of numbers
 * write a fraction.
 */
function withPoint(written: string): string {
  const [, first = '', groups = '', separator, point, fraction] = GROUPED.exec(written) ?? [];
  if (separator === undefined) return COMMA.test(written) ? written.replace(',', '.') : written;
  const isAmbiguous = groups.length === 4 && point === undefined && /[.,]/.test(separator);
  if (isAmbiguous || point === separator) return written;
  return `${first}${groups.replaceAll(separator, '')}${point === undefined ? '' : `.${fraction}`}`;
}

/** JSON has no infinity, but 1e400 reads as one. */
function outside(value: number, min: number | undefined, max: number | undefined): FieldResult | undefined {
  if (Number.isFinite(value) && value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return undefined;
  const bounds = [min === undefined ? [] : `at least ${min}`, max === undefined ? [] : `at most ${max}`].flat();
  return reject('range', `Must be ${bounds.length > 0 ? bounds.join(' and ') : 'a finite number'}.`);
}
