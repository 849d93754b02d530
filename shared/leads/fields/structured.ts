import { findIntendedName } from '../../http/misspellings.ts';
import { uuid } from '../../http/schemas.ts';
import { normalizeText } from '../../platform/normalize-text.ts';
import { parseRawMembers, stringifyRawMembers } from '../raw-json.ts';
import { accept, cleared, type FieldValidator, reject, textValidator } from './field-validator.ts';

/** The uuid of an uploaded file. */
export const validateFile = textValidator((value) => {
  const { success, data } = uuid.safeParse(value);
  return success ? accept(data) : reject('format', 'Must be the uuid of an uploaded file.');
});

/** Anything JSON, stored as it was sent. */
export const validateJson: FieldValidator = (answer) => ({ json: answer.json });

/**
 * The parts that address forms ask for in any country (HTML `autocomplete`, Google's libaddressinput). Lines and separate
 * parts both exist, since some forms ask for `line1` and others for `street` and `houseNumber`.
 */
export const ADDRESS_PARTS = [
  'name',
  'company',
  'line1',
  'line2',
  'line3',
  'street',
  'houseNumber',
  'building',
  'floor',
  'unit',
  'poBox',
  'postalCode',
  'city',
  'district',
  'county',
  'region',
  'state',
  'province',
  'country',
] as const;
const PART_CHARACTERS_MAX = 200;

/**
 * Each part is human text (a house number may be sent as a number). An unknown part is refused: a misspelt one would be
 * stored where no reader of the lead looks for it.
 */
export const validateAddress: FieldValidator = (answer) => {
  const isObject = typeof answer.value === 'object' && answer.value !== null && !Array.isArray(answer.value);
  if (!isObject) return reject('type', 'Must be an object with the parts of an address.');
  const members = parseRawMembers(answer.json);
  for (const [name, sent] of members) {
    const part = ADDRESS_PARTS.find((known) => known === name);
    if (part === undefined) return reject('type', unknownPart(name));
    const written = partText(sent);
    if (written === undefined) return reject('type', `The part ${part} must be text.`);
    if (written.length > PART_CHARACTERS_MAX) {
      return reject('length', `The part ${part} must have at most ${PART_CHARACTERS_MAX} characters.`);
    }
    if (written === '') members.delete(part);
    else members.set(part, JSON.stringify(part === 'country' ? countryText(written) : written));
  }
  return members.size === 0 ? cleared : { json: stringifyRawMembers(members) };
};

function unknownPart(name: string): string {
  const meant = findIntendedName(name, ADDRESS_PARTS);
  return meant === undefined
    ? `Must have no other parts than ${ADDRESS_PARTS.join(', ')}.`
    : `The part ${meant} must be written in this spelling.`;
}

/** A code of ISO 3166-1 alpha-2 has capitals; a country's name stays as it was written. */
const countryText = (written: string): string => (/^[a-z]{2}$/i.test(written) ? written.toUpperCase() : written);

/** The part's text, empty for null, undefined when it is neither text nor a number. */
function partText(given: string): string | undefined {
  const value: unknown = JSON.parse(given);
  if (value === null) return '';
  if (typeof value === 'number') return given;
  return typeof value === 'string' ? normalizeText(value) : undefined;
}
