import type { Lead } from '../../../shared/leads/lead.ts';
import { stringifyRawProperties } from '../../../shared/leads/raw-json.ts';
import { createCsvWriter } from '../terminal/csv.ts';

type Column = [name: string, cell: (lead: Lead) => string];

/** The first columns. The columns of the lead's data follow. */
const FIXED: readonly Column[] = [
  ['lead_id', ({ leadId }) => leadId],
  ['first_submitted_at', ({ firstSubmittedAt }) => firstSubmittedAt],
  ['last_submitted_at', ({ submittedAt }) => submittedAt],
  ['completed_at', ({ completedAt }) => completedAt ?? ''],
  ['submits', ({ submits }) => String(submits)],
  ['last_step', ({ steps }) => steps.reduce((last, step) => (step.lastAt >= last.lastAt ? step : last), NO_STEP).id],
  ['verified', ({ verified }) => verified.map(({ field }) => field).join('; ')],
  ['page_url', ({ pageUrl }) => pageUrl ?? ''],
  ['device_class', ({ deviceClass }) => deviceClass ?? ''],
];
const NO_STEP = { id: '', lastAt: '' };
const OTHER = 'other';

type CsvOptions = {
  /** Keys of the lead's data. Each key gets a column. */
  fields: readonly string[];
  /** Adds a last column, `other`, with all other data as a JSON object. */
  withOther: boolean;
  /** Writes cells unchanged, even those that a spreadsheet would run as formulas. */
  raw: boolean;
};

/** Formats leads as CSV (RFC 4180, UTF-8). Write `head` once, and `rows` for each batch. */
export function leadCsv({ fields, withOther, raw }: CsvOptions) {
  const known = new Set(fields);
  const taken = new Set([...FIXED.map(([name]) => name), OTHER]);
  const columns: Column[] = [
    ...FIXED,
    ...fields.map(
      (field): Column => [taken.has(field) ? `data.${field}` : field, ({ data }) => dataCell(data.get(field))],
    ),
    ...(withOther ? [[OTHER, ({ data }: Lead) => otherCell(data, known)] satisfies Column] : []),
  ];
  const toCsv = createCsvWriter(raw);
  return {
    head: toCsv([columns.map(([name]) => name)]),
    rows: (leads: readonly Lead[]) => toCsv(leads.map((lead) => columns.map(([, cell]) => cell(lead).toWellFormed()))),
  };
}

function otherCell(data: Lead['data'], known: ReadonlySet<string>): string {
  const others = [...data].filter(([key]) => !known.has(key));
  return others.length === 0 ? '' : stringifyRawProperties(others);
}

/** Formats a value: a text unchanged; choices as `a; b`, if no choice contains a semicolon; any other value as JSON. */
function dataCell(json: string | undefined): string {
  if (json === undefined) return '';
  const value: unknown = json.startsWith('"') || json.startsWith('[') ? JSON.parse(json) : json;
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes(';'));
  return isList && value.length > 0 ? value.join('; ') : json;
}
