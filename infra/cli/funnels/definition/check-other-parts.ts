import { getCountries } from 'libphonenumber-js/min';
import { acceptsSomething, kindOfName, mimeTypeOf } from '../../../../shared/uploads/file-type.ts';
import { type Path, quoteShortened, type ValidationIssue } from '../../json-document/issues.ts';
import { listAt, memberAt, stringAt, stringsAt } from '../../json-document/untyped-access.ts';
import { findDuplicates } from './duplicates.ts';
import { CONTENT_BYTES_MAX } from './funnel-definition.ts';

/** Reports issues that the schema does not cover: size, duplicates, media types, origins and countries. */
export function checkOtherParts(file: unknown): ValidationIssue[] {
  return [
    ...sizeFindings(file),
    ...findDuplicates(file, 'steps', 'id'),
    ...findDuplicates(file, 'uploadBlocks', 'id'),
    ...findDuplicates(file, 'uploadBlocks', 'name'),
    ...listAt(file, 'uploadBlocks').flatMap((block, index) => typeFindings(block, ['uploadBlocks', index])),
    ...originFindings(file),
    ...countryFindings(file),
  ];
}

function sizeFindings(file: unknown): ValidationIssue[] {
  const bytes = bytesOf(file);
  if (bytes <= CONTENT_BYTES_MAX) return [];
  const parts = Object.entries(file ?? {}).map(([name, part]) => ({ name, bytes: bytesOf(part) }));
  const [largest] = parts.sort((one, other) => other.bytes - one.bytes);
  const numbers = [bytes, CONTENT_BYTES_MAX].map((count) => count.toLocaleString('en'));
  const message =
    `Without white space the file has ${numbers[0]} bytes, but a version can have at most ${numbers[1]}: ` +
    `shorten ${largest?.name ?? 'it'}`;
  return [{ at: [], message }];
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function typeFindings(block: unknown, at: Path): ValidationIssue[] {
  return stringsAt(block, 'acceptedTypes').flatMap(([index, type]): ValidationIssue[] => {
    if (acceptsSomething(type)) return [];
    const kind = kindOfName(type.startsWith('.') ? `file${type}` : `file.${type}`);
    const meant = kind === undefined || kind === 'none' ? '' : `; did you mean "${mimeTypeOf(kind)}"?`;
    const message = `The service does not accept files of the media type ${quoteShortened(type)}${meant}`;
    return [{ at: [...at, 'acceptedTypes', index], message }];
  });
}

function originFindings(file: unknown): ValidationIssue[] {
  const seen = new Map<string, number>();
  return stringsAt(file, 'allowedOrigins').flatMap(([index, text]): ValidationIssue[] => {
    const at = ['allowedOrigins', index];
    const issue = originIssue(text);
    if (issue !== undefined) return [{ at, message: issue }];
    const origin = new URL(text).origin;
    const first = seen.get(origin);
    if (first === undefined) seen.set(origin, index);
    return first === undefined ? [] : [{ at, message: `Must be unique: allowedOrigins[${first}] is the same` }];
  });
}

function originIssue(text: string): string | undefined {
  if (text === '*') return 'Is not an origin: to allow pages of any origin, remove allowedOrigins';
  const url = /^https?:\/\/[^\s/\\@]/i.test(text) ? URL.parse(text) : null;
  if (url === null) return 'Must be an origin, such as https://www.example.com or http://localhost:5173';
  const isBare = /^https?:\/\/[^\s/\\?#@]+$/i.test(text);
  return isBare ? undefined : `Is more than an origin: write ${url.origin}`;
}

const COUNTRIES: ReadonlySet<string> = new Set(getCountries());

function countryFindings(file: unknown): ValidationIssue[] {
  const places: [Path, string | undefined][] = [
    [['country'], stringAt(file, 'country')],
    ...listAt(file, 'fields').map((field, index): [Path, string | undefined] => [
      ['fields', index, 'country'],
      stringAt(field, 'country'),
    ]),
    ...stringsAt(memberAt(file, 'verification'), 'smsCountries').map(([index, code]): [Path, string] => [
      ['verification', 'smsCountries', index],
      code,
    ]),
  ];
  return places.flatMap(([at, code]): ValidationIssue[] => {
    // Ignores a country that does not consist of two capital letters, because `checkShape` reports it.
    if (code === undefined || !/^[A-Z]{2}$/.test(code) || COUNTRIES.has(code)) return [];
    return [{ at, message: `${quoteShortened(code)} is not a country with telephone numbers (ISO 3166-1 alpha-2)` }];
  });
}
