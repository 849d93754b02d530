import { cleared, keep, type Rule, refuse } from './verdict.ts';

const CHOSEN_MAX = 200;
const CHARACTERS_MAX = 1000;

const asChoice = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;

const isOffered = (chosen: string, offered: readonly string[] | undefined): boolean =>
  offered === undefined ? chosen.length <= CHARACTERS_MAX : offered.includes(chosen);

const NOT_OFFERED = 'Must be one of those that the field offers.';

export const choice: Rule = ({ value }, { choices }) => {
  const chosen = asChoice(value);
  if (chosen === undefined) return refuse('type', 'Must be a single choice.');
  return isOffered(chosen, choices) ? keep(chosen) : refuse('choice', NOT_OFFERED);
};

/** A list, or a single choice as forms send it; repeated ones count once, none clears. */
export const choices: Rule = ({ value }, { choices: offered, min = 0, max = CHOSEN_MAX }) => {
  const given = Array.isArray(value) ? value.map(asChoice) : [asChoice(value)];
  const chosen = new Set(given.filter((one) => one !== undefined));
  if (given.includes(undefined)) return refuse('type', 'Must be a list of choices.');
  if (chosen.size === 0) return cleared;
  if (![...chosen].every((one) => isOffered(one, offered))) return refuse('choice', NOT_OFFERED);
  return chosen.size >= min && chosen.size <= max
    ? keep([...chosen])
    : refuse('length', `Must have ${min} to ${max} choices.`);
};

const YES: readonly unknown[] = [true, 1, 'true', 'on', 'yes', '1'];
const NO: readonly unknown[] = [false, 0, 'false', 'off', 'no', '0'];

/** Yes or no, also as forms write it; `boolean` and `consent`. */
export const yesOrNo: Rule = ({ value }) => {
  const given = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (YES.includes(given)) return keep(true);
  return NO.includes(given) ? keep(false) : refuse('type', 'Must be true or false.');
};
