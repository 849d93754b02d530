import { uuid } from '../../http/schemas.ts';
import { tidy } from '../../http/tidy.ts';
import { membersOf, objectText } from '../json-members.ts';
import { cleared, keep, type Rule, refuse, textRule } from './verdict.ts';

/** The uuid of an uploaded file. */
export const file = textRule((value) => {
  const { success, data } = uuid.safeParse(value);
  return success ? keep(data) : refuse('format', "Must be an uploaded file's uuid.");
});

/** Anything JSON, stored as it was sent. */
export const json: Rule = (answer) => ({ json: answer.json });

const ADDRESS_PARTS = ['street', 'houseNumber', 'postalCode', 'city', 'region', 'country'] as const;
const PART_CHARACTERS_MAX = 200;

/** Known parts are human text (a house number may come as a number); other members are kept as they were sent. */
export const address: Rule = (answer) => {
  const isObject = typeof answer.value === 'object' && answer.value !== null && !Array.isArray(answer.value);
  if (!isObject) return refuse('type', 'Must be an object with the parts of an address.');
  const members = membersOf(answer.json);
  for (const part of ADDRESS_PARTS) {
    const written = partText(members.get(part));
    if (written === undefined) return refuse('type', `Its ${part} must be text.`);
    if (written.length > PART_CHARACTERS_MAX) {
      return refuse('length', `Its ${part} must have at most ${PART_CHARACTERS_MAX} characters.`);
    }
    if (written === '') members.delete(part);
    else members.set(part, JSON.stringify(part === 'country' ? countryText(written) : written));
  }
  return members.size === 0 ? cleared : { json: objectText(members) };
};

/** A code of ISO 3166-1 alpha-2 has capitals; a country's name stays as it was written. */
const countryText = (written: string): string => (/^[a-z]{2}$/i.test(written) ? written.toUpperCase() : written);

/** The part's text, empty when absent, undefined when it is neither text nor a number. */
function partText(given: string | undefined): string | undefined {
  const value: unknown = JSON.parse(given ?? 'null');
  if (value === null) return '';
  if (typeof value === 'number') return given;
  return typeof value === 'string' ? tidy(value) : undefined;
}
