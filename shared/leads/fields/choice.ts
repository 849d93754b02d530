import { normalizeText } from '../../platform/normalize-text.ts';
import { accept, cleared, type FieldValidator, reject } from './field-validator.ts';

const CHOICES_MAX = 200;
const CHARACTERS_MAX = 1000;
const CHOICES_LISTED_MAX = 20;

const asChoice = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;

/**
 * Creates a function that maps a submitted choice to its declared spelling, ignoring surrounding white space and
 * Unicode composition. If choices are declared, it returns undefined for all other choices. If no choices are declared,
 * it returns undefined only for a text that is too long.
 */
function createChoiceLookup(declared: readonly string[] | undefined): (submitted: string) => string | undefined {
  // If several choices have the same normalized text, the first one must be used. The list is reversed, because a Map
  // keeps the last value of a repeated key.
  const byText = declared && new Map(declared.toReversed().map((one) => [normalizeText(one), one]));
  return (submitted) => {
    const text = normalizeText(submitted);
    if (byText === undefined) return text.length <= CHARACTERS_MAX ? text : undefined;
    return declared?.includes(submitted) ? submitted : byText.get(text);
  };
}

/**
 * Returns the message for a choice that was not found. If no choices are declared, the only possible reason is a text
 * that is too long.
 */
function notDeclared(declared: readonly string[] | undefined): string {
  if (declared === undefined) return `A choice must have at most ${CHARACTERS_MAX} characters.`;
  const listed = declared.slice(0, CHOICES_LISTED_MAX).join(', ');
  const more = declared.length - CHOICES_LISTED_MAX;
  return `Must be one of: ${listed}${more > 0 ? ` and ${more} more` : ''}.`;
}

export const validateChoice: FieldValidator = ({ value }, { choices }) => {
  const submitted = asChoice(value);
  if (submitted === undefined) return reject('type', 'Must be a single choice.');
  const choice = createChoiceLookup(choices)(submitted);
  if (choice === undefined) return reject('choice', notDeclared(choices));
  return choice === '' ? cleared : accept(choice);
};

/** Accepts a list, or a single choice as forms send it. Ignores repetitions. An empty list clears the key. */
export const validateChoices: FieldValidator = ({ value }, { choices: declared, min = 0, max = CHOICES_MAX }) => {
  const submitted = Array.isArray(value) ? value.map(asChoice) : [asChoice(value)];
  const texts = submitted.filter((one) => one !== undefined);
  if (texts.length < submitted.length) return reject('type', 'Must be a list of choices.');
  const findChoice = createChoiceLookup(declared);
  const choices = new Set<string>();
  for (const text of new Set(texts)) {
    const choice = findChoice(text);
    if (choice === undefined) return reject('choice', notDeclared(declared));
    if (choice !== '') choices.add(choice);
  }
  if (choices.size === 0) return cleared;
  return choices.size >= min && choices.size <= max
    ? accept([...choices])
    : reject('length', `Must have ${min} to ${max} choices.`);
};

const TRUE_VALUES: readonly unknown[] = [true, 1, 'true', 'on', 'yes', '1'];
const FALSE_VALUES: readonly unknown[] = [false, 0, 'false', 'off', 'no', '0'];

/** Validates `boolean` and `consent`. Also accepts the values that HTML forms send. */
export const validateBoolean: FieldValidator = ({ value }) => {
  const submitted = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (TRUE_VALUES.includes(submitted)) return accept(true);
  return FALSE_VALUES.includes(submitted) ? accept(false) : reject('type', 'Must be true or false.');
};
