import { stringify } from 'csv-stringify/sync';
import type { Lead } from '../../../shared/leads/lead.ts';
import { stringifyRawMembers } from '../../../shared/leads/raw-json.ts';
import { escapeCsvFormula } from '../terminal/csv.ts';

/** What each lead has beside its data, in order. */
const FIXED = {
  lead_id: ({ leadId }) => leadId,
  first_submitted_at: ({ firstSubmittedAt }) => firstSubmittedAt,
  last_submitted_at: ({ submittedAt }) => submittedAt,
  submits: ({ submits }) => String(submits),
  last_step: ({ steps }) => steps.reduce((last, step) => (step.lastAt >= last.lastAt ? step : last), NO_STEP).id,
  verified: ({ verified }) => verified.map(({ field }) => field).join('; '),
  page_url: ({ pageUrl }) => pageUrl ?? '',
  device_class: ({ deviceClass }) => deviceClass ?? '',
} as const satisfies Record<string, (lead: Lead) => string>;

const NO_STEP = { id: '', lastAt: '' };
/** What no column of its own is for. */
const OTHER = 'other';

type Cell = (lead: Lead) => string;
type Columns = { names: string[]; cells: Cell[] };

export type CsvOptions = {
  /** Keys of data with a column each. */
  fields: readonly string[];
  /** A last column, `other`, holds the rest of data as a JSON object. */
  withOther: boolean;
  /** Cells as they are, also those that a spreadsheet would take for a formula. */
  raw: boolean;
};

/**
 * Leads as CSV by RFC 4180: UTF-8, CRLF, quoted where needed. `head` comes first, then batches of rows.
 *
 * A cell that a spreadsheet would run as a formula gets an apostrophe before it, which spreadsheets hide; numbers, and
 * phone numbers in their international form, can run nothing and stay as they are.
 */
export function leadCsv({ fields, withOther, raw }: CsvOptions) {
  const { names, cells } = columnsOf(fields, withOther);
  const cellText = raw ? (cell: string) => cell : escapeCsvFormula;
  const lines = (rows: string[][]) => stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });
  return {
    head: lines([names.map(cellText)]),
    rows: (leads: readonly Lead[]) =>
      lines(leads.map((lead) => cells.map((cell) => cellText(cell(lead).toWellFormed())))),
  };
}

function columnsOf(fields: readonly string[], withOther: boolean): Columns {
  const fixed = Object.entries(FIXED);
  const known = new Set(fields);
  const cells: Cell[] = [
    ...fixed.map(([, cell]) => cell),
    ...fields.map(
      (field): Cell =>
        ({ data }) =>
          cellOf(data.get(field)),
    ),
    ...(withOther ? [({ data }: Lead) => rest(data, known)] : []),
  ];
  const taken = new Set([...fixed.map(([name]) => name), OTHER]);
  const names = fields.map((field) => (taken.has(field) ? `data.${field}` : field));
  return { names: [...fixed.map(([name]) => name), ...names, ...(withOther ? [OTHER] : [])], cells };
}

function rest(data: Lead['data'], known: ReadonlySet<string>): string {
  const others = [...data].filter(([key]) => !known.has(key));
  return others.length === 0 ? '' : stringifyRawMembers(others);
}

/** Text as it is, a list of choices with semicolons between them, anything else as its JSON text. */
function cellOf(json: string | undefined): string {
  if (json === undefined) return '';
  const value: unknown = json.startsWith('"') || json.startsWith('[') ? JSON.parse(json) : json;
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes(';'));
  return isList && value.length > 0 ? value.join('; ') : json;
}
