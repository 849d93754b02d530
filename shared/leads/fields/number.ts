import { type Answer, cleared, keep, type Rule, refuse, type Verdict } from './verdict.ts';

const RATING = { min: 1, max: 5 };
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const FORM_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Any finite number. Its digits are kept as they came, so that none is lost to a double's 53 bits. */
export const number: Rule = (answer, { min, max }) => {
  if (isBlank(answer)) return cleared;
  const read = readNumber(answer);
  if (read === undefined) return refuse('type', 'Must be a number.');
  return outside(read.value, min, max) ?? { json: read.digits };
};

/** A whole number that every JSON reader holds exactly. */
export const integer: Rule = (answer, { min, max }) => {
  if (isBlank(answer)) return cleared;
  const read = readNumber(answer);
  if (read === undefined || (Number.isFinite(read.value) && !Number.isInteger(read.value))) {
    return refuse('type', 'Must be a whole number.');
  }
  const least = Math.max(min ?? -Infinity, Number.MIN_SAFE_INTEGER);
  const most = Math.min(max ?? Infinity, Number.MAX_SAFE_INTEGER);
  return outside(read.value, least, most) ?? keep(read.value);
};

export const rating: Rule = (answer, field, country) => integer(answer, { ...RATING, ...field }, country);

/** A form's empty input. */
const isBlank = ({ value }: Answer): boolean => typeof value === 'string' && value.trim() === '';

function readNumber({ value, json }: Answer): { value: number; digits: string } | undefined {
  if (typeof value === 'number') return { value, digits: json };
  if (typeof value !== 'string') return undefined;
  const digits = value.trim();
  if (!FORM_NUMBER.test(digits)) return undefined;
  const read = Number(digits);
  return { value: read, digits: JSON_NUMBER.test(digits) ? digits : JSON.stringify(read) };
}

/** JSON has no infinity, but 1e400 reads as one. */
function outside(value: number, min: number | undefined, max: number | undefined): Verdict | undefined {
  if (Number.isFinite(value) && value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return undefined;
  const bounds = [min === undefined ? [] : `at least ${min}`, max === undefined ? [] : `at most ${max}`].flat();
  return refuse('range', `Must be ${bounds.length > 0 ? bounds.join(' and ') : 'finite'}.`);
}
