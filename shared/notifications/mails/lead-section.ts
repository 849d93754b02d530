import type { Field } from '../../funnels/funnel.ts';
import type { Lead } from '../../leads/lead.ts';
import { oneLine } from '../../messages/one-line.ts';
import type { NotificationAddress } from '../notification-address.ts';
import { type MailTexts, mailTexts } from './mail-texts.ts';

/** A lead as a mail shows it. */
export type LeadSection = { submitted: string; rows: { label: string; value: string }[] };

type Options = {
  /** The declared fields, in order; empty if the version is unknown. */
  fields: readonly Field[];
  /** Names of the lead's files by UUID. */
  fileNames: ReadonlyMap<string, string>;
  address: Pick<NotificationAddress, 'timeZone' | 'language'>;
};

const ROWS_MAX = 50;
const LABEL_CHARACTERS_MAX = 100;
const VALUE_CHARACTERS_MAX = 500;

/** Shows the declared fields first, in their order, then the other keys. Empty values are omitted. */
export function leadSection(lead: Lead, { fields, fileNames, address }: Options): LeadSection {
  const texts = mailTexts(address.language);
  const declared = new Map(fields.map((field) => [field.id, field]));
  const keys = [...new Set([...fields.map(({ id }) => id).filter((id) => lead.data.has(id)), ...lead.data.keys()])];
  const rows = keys.flatMap((key) => {
    const isFile = declared.get(key)?.type === 'file';
    const parsed: unknown = JSON.parse(lead.data.get(key) ?? 'null');
    const value = shorten(isFile ? fileText(parsed, fileNames, texts) : valueText(parsed, texts));
    return value === '' ? [] : [{ label: oneLine(key, LABEL_CHARACTERS_MAX), value }];
  });
  if (rows.length > ROWS_MAX)
    rows.splice(ROWS_MAX, Infinity, { label: texts.moreFields, value: String(rows.length - ROWS_MAX) });
  if (lead.pageUrl !== undefined) rows.push({ label: texts.page, value: shorten(lead.pageUrl) });
  return { submitted: formatTime(lead.firstSubmittedAt, address), rows };
}

/** Returns the UUIDs of the files of a lead. */
export const filesOf = ({ data }: Lead, fields: readonly Field[]): string[] =>
  fields
    .filter(({ id, type }) => type === 'file' && data.has(id))
    .map(({ id }): unknown => JSON.parse(data.get(id) ?? 'null'))
    .filter((value) => typeof value === 'string');

/** Formats a time in the time zone and the language of the address. */
export const formatTime = (time: string, { timeZone, language }: Options['address']): string =>
  new Intl.DateTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  }).format(new Date(time));

const fileText = (value: unknown, names: Options['fileNames'], texts: MailTexts): string =>
  typeof value === 'string' ? (names.get(value) ?? texts.file) : valueText(value, texts);

function valueText(value: unknown, texts: MailTexts): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (Array.isArray(value))
    return value
      .map((one) => valueText(one, texts))
      .filter(Boolean)
      .join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, part]) => [key, valueText(part, texts)])
    .filter(([, part]) => part !== '')
    .map(([key, part]) => `${key}: ${part}`)
    .join(', ');
}

/** Shortens a text. Keeps line breaks, at most two in a row. Other white space and control characters become spaces. */
function shorten(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?:(?!\n)[\s\p{C}])+/gu, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const characters = Array.from(clean);
  return characters.length <= VALUE_CHARACTERS_MAX ? clean : `${characters.slice(0, VALUE_CHARACTERS_MAX).join('')}…`;
}
