import { findIntendedName } from '../../http/misspellings.ts';
import { uuid } from '../../http/schemas.ts';
import { normalizeText } from '../../platform/normalize-text.ts';
import { parseRawProperties, stringifyRawProperties } from '../raw-json.ts';
import { accept, cleared, type FieldValidator, reject, textValidator } from './field-validator.ts';

/** Validates the uuid of an uploaded file. */
export const validateFile = textValidator((value) => {
  const { success, data } = uuid.safeParse(value);
  return success ? accept(data) : reject('format', 'Must be the uuid of an uploaded file.');
});

/** Accepts any JSON, which is stored as sent. */
export const validateJson: FieldValidator = ({ json }) => ({ json });

/**
 * The parts of address forms in any country (HTML `autocomplete`, Google's libaddressinput). Includes whole lines and
 * separate parts, because some forms have `line1`, and others have `street` and `houseNumber`.
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
 * Validates an address. Each part is text, or a number such as a house number. Rejects an address with an unknown part,
 * because readers of the lead would overlook a misspelled part.
 */
export const validateAddress: FieldValidator = ({ value, json }) => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) return reject('type', 'Must be an object with the parts of an address.');
  const properties = parseRawProperties(json);
  for (const [name, partJson] of properties) {
    const part = ADDRESS_PARTS.find((known) => known === name);
    if (part === undefined) return reject('type', unknownPart(name));
    const text = parsePart(partJson);
    if (text === undefined) return reject('type', `The part ${part} must be text.`);
    if (text.length > PART_CHARACTERS_MAX) {
      return reject('length', `The part ${part} must have at most ${PART_CHARACTERS_MAX} characters.`);
    }
    if (text === '') properties.delete(part);
    else properties.set(part, JSON.stringify(part === 'country' ? normalizeCountry(text) : text));
  }
  return properties.size === 0 ? cleared : { json: stringifyRawProperties(properties) };
};

function unknownPart(name: string): string {
  const intended = findIntendedName(name, ADDRESS_PARTS);
  return intended === undefined
    ? `Must have no other parts than ${ADDRESS_PARTS.join(', ')}.`
    : `A part is misspelled. Write ${intended}.`;
}

/** Converts an ISO 3166-1 alpha-2 code to upper case. Country names stay unchanged. */
const normalizeCountry = (text: string): string => (/^[a-z]{2}$/i.test(text) ? text.toUpperCase() : text);

/** Returns the text of a part: empty for null, and undefined for a value that is neither text nor a number. */
function parsePart(json: string): string | undefined {
  const value: unknown = JSON.parse(json);
  if (value === null) return '';
  if (typeof value === 'number') return json;
  return typeof value === 'string' ? normalizeText(value) : undefined;
}
