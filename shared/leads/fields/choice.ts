import { normalizeText } from '../../platform/normalize-text.ts';
import { accept, cleared, type FieldValidator, reject } from './field-validator.ts';

const CHOSEN_MAX = 200;
const CHARACTERS_MAX = 1000;

const asChoice = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;

/** Tells a choice as the field spells it, whatever spaces or composition of letters it came with; undefined: not offered. */
function spelling(offered: readonly string[] | undefined): (chosen: string) => string | undefined {
  // Of those that differ in spaces alone, the first one.
  const byText = offered && new Map(offered.toReversed().map((one) => [normalizeText(one), one]));
  return (chosen) => {
    const text = normalizeText(chosen);
    if (byText === undefined) return text.length <= CHARACTERS_MAX ? text : undefined;
    return offered?.includes(chosen) ? chosen : byText.get(text);
  };
}

const CHOICES_NAMED_MAX = 20;

/** Without offered choices, a text can only be too long. */
function notOffered(offered: readonly string[] | undefined): string {
  if (offered === undefined) return `Must have at most ${CHARACTERS_MAX} characters.`;
  const named = offered.slice(0, CHOICES_NAMED_MAX).join(', ');
  const more = offered.length - CHOICES_NAMED_MAX;
  return `Must be one of: ${named}${more > 0 ? ` and ${more} more` : ''}.`;
}

export const validateChoice: FieldValidator = ({ value }, { choices }) => {
  const chosen = asChoice(value);
  if (chosen === undefined) return reject('type', 'Must be a single choice.');
  const kept = spelling(choices)(chosen);
  if (kept === undefined) return reject('choice', notOffered(choices));
  return kept === '' ? cleared : accept(kept);
};

/** A list, or a single choice as forms send it; repeated ones count once, none clears. */
export const validateChoices: FieldValidator = ({ value }, { choices: offered, min = 0, max = CHOSEN_MAX }) => {
  const given = Array.isArray(value) ? value.map(asChoice) : [asChoice(value)];
  const texts = given.filter((one) => one !== undefined);
  if (texts.length < given.length) return reject('type', 'Must be a list of choices.');
  const offeredAs = spelling(offered);
  const chosen = new Set<string>();
  for (const one of new Set(texts)) {
    const kept = offeredAs(one);
    if (kept === undefined) return reject('choice', notOffered(offered));
    if (kept !== '') chosen.add(kept);
  }
  if (chosen.size === 0) return cleared;
  return chosen.size >= min && chosen.size <= max
    ? accept([...chosen])
    : reject('length', `Must have ${min} to ${max} choices.`);
};

const YES: readonly unknown[] = [true, 1, 'true', 'on', 'yes', '1'];
const NO: readonly unknown[] = [false, 0, 'false', 'off', 'no', '0'];

/** Yes or no, also as forms write it; `boolean` and `consent`. */
export const validateBoolean: FieldValidator = ({ value }) => {
  const given = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (YES.includes(given)) return accept(true);
  return NO.includes(given) ? accept(false) : reject('type', 'Must be true or false.');
};
