import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lead } from '../../../shared/leads/lead.ts';
import { confirm } from '../terminal/confirm.ts';
import { withOutputFile } from '../terminal/output-file.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { FunnelLeads } from './dependencies.ts';
import { exportLeads } from './export-leads.ts';
import { exportedFile } from './exported-ids-file.ts';
import { leadCsv } from './lead-csv.ts';
import { leadJson } from './lead-json.ts';

export type ExportOptions = {
  format: 'csv' | 'jsonl';
  out?: string;
  since?: string;
  until?: string;
  fields?: string[];
  raw?: true;
  bom?: true;
  yes?: true;
};

type Format = { head: string; rows(leads: readonly Lead[]): string };

const BYTE_ORDER_MARK = '\ufeff';

/** Writes the funnel's leads, oldest submit first, to a file or to whoever reads; of any number in the same memory. */
export async function exportTo(of: FunnelLeads, options: ExportOptions, indexDelayMs: number, terminal: Terminal) {
  const { funnelId, index } = of;
  await confirmOverwrite(options, terminal);
  const { head, rows } = formatOf(of, options, terminal);
  const exported = await exportedFile();
  const settle = () => delay(indexDelayMs);
  let count = 0;
  try {
    await withOutputFile(options.out, harmless(terminal), async (write) => {
      if (head !== '') await write(head);
      for await (const leads of exportLeads({ index, exported, settle }, funnelId, rangeOf(options))) {
        if (leads.length > 0) await write(rows(leads));
        count += leads.length;
      }
    });
  } finally {
    await exported.close();
  }
  const leadsWord = count === 1 ? '1 lead' : `${count.toLocaleString('en')} leads`;
  terminal.note(`${leadsWord} exported${options.out === undefined ? '' : ` to ${options.out}`}.`);
}

/** A pipe or a device is written to without asking. */
async function confirmOverwrite({ out, yes }: ExportOptions, terminal: Terminal): Promise<void> {
  const existing = out === undefined ? undefined : await stat(out).catch(() => undefined);
  if (existing?.isFile()) await confirm(terminal, `${out} exists. Overwrite it?`, yes);
}

/** A terminal would obey what visitors wrote; a file or a program gets every byte. */
const harmless = (terminal: Terminal): Terminal =>
  terminal.columns === undefined ? terminal : { ...terminal, write: (text) => terminal.write(printable(text)) };

const rangeOf = ({ since, until }: ExportOptions) => ({ from: since, to: until });

function formatOf({ fields }: FunnelLeads, options: ExportOptions, { note }: Terminal): Format {
  const declared = fields.map(({ id }) => id);
  for (const field of options.fields ?? []) {
    if (!declared.includes(field)) note(`${printableLine(field)} is not declared by the published version.`);
  }
  if (options.format === 'jsonl') {
    const kept = options.fields && new Set(options.fields);
    return { head: '', rows: (leads) => leads.map((lead) => `${leadJson(lead, kept)}\n`).join('') };
  }
  const withOther = options.fields === undefined;
  const csv = leadCsv({ fields: options.fields ?? declared, withOther, raw: options.raw ?? false });
  return { ...csv, head: `${options.bom ? BYTE_ORDER_MARK : ''}${csv.head}` };
}
