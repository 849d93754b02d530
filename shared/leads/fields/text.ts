import * as z from 'zod/mini';
import { accept, reject, textValidator, tooLong } from './field-validator.ts';

const URL_CHARACTERS_MAX = 2048;

/**
 * Creates a validator that checks the length in code points.
 *
 * @param charactersMax applies if the field declares no `max`
 */
export const createTextValidator = (charactersMax: number) =>
  textValidator((value, { min = 0, max = charactersMax }) => {
    const characters = countCodePoints(value);
    return characters >= min && characters <= max
      ? accept(value)
      : reject('length', `Must have ${min} to ${max} characters.`);
  });

export const validateUrl = textValidator((value) => {
  if (value.length > URL_CHARACTERS_MAX) return tooLong(URL_CHARACTERS_MAX);
  return isHttpUrl(value) ? accept(value) : reject('format', 'Must be a URL that begins with http:// or https://.');
});

/**
 * Whether the text is an absolute http(s) URL. The expression rejects `http:host`, `http:///host`, backslashes and
 * spaces, which `URL.canParse` accepts.
 */
export const isHttpUrl = (value: string): boolean =>
  /^https?:\/\/[^\s/\\][^\s\\]*$/i.test(value) && URL.canParse(value);

const CalendarDate = z.iso.date();

export const validateDate = textValidator((value) =>
  CalendarDate.safeParse(value).success ? accept(value) : reject('format', 'Must be a date, written YYYY-MM-DD.'),
);

function countCodePoints(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}
