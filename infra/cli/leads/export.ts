import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lead } from '../../../shared/leads/lead.ts';
import type { CommandContext } from '../program/command.ts';
import { formatCount } from '../terminal/format.ts';
import { withOutputFile } from '../terminal/output-file.ts';
import { printable, printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { FunnelLeads } from './dependencies.ts';
import { createExportedIdsFile } from './exported-ids-file.ts';
import { leadBatches } from './lead-batches.ts';
import { leadCsv } from './lead-csv.ts';
import { leadJson } from './lead-json.ts';

type ExportOptions = {
  format: 'csv' | 'jsonl';
  out: string | undefined;
  since: string | undefined;
  until: string | undefined;
  fields: string[] | undefined;
  raw: boolean;
  bom: boolean;
  yes: boolean;
};

type Format = { head: string; rows(leads: readonly Lead[]): string };

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Writes the leads of a funnel to a file or to stdout. Memory holds a few batches of leads and the ids of recent leads.
 */
export async function exportTo(leads: FunnelLeads, options: ExportOptions, context: CommandContext): Promise<void> {
  const { terminal, confirm, indexDelayMs } = context;
  const { out, since: from, until: to } = options;
  // Pipes and devices need no confirmation, because writing to them overwrites nothing.
  const existing = out === undefined ? undefined : await stat(out).catch(() => undefined);
  if (existing?.isFile()) await confirm(`${out} exists. Overwrite it?`, options.yes);
  const { head, rows } = formatOf(leads, options, terminal);
  const exported = await createExportedIdsFile();
  const ports = { index: leads.index, exported, waitForIndex: () => delay(indexDelayMs) };
  let count = 0;
  try {
    await withOutputFile(out, escaping(terminal), async (write) => {
      if (head !== '') await write(head);
      for await (const batch of leadBatches(ports, leads.funnelId, { from, to })) {
        if (batch.length > 0) await write(rows(batch));
        count += batch.length;
      }
    });
  } finally {
    await exported.close();
  }
  terminal.note(`Exported ${formatCount(count, 'lead')}${out === undefined ? '' : ` to ${out}`}.`);
}

/**
 * Escapes control characters if stdout is a terminal, because the terminal would execute them. Files and pipes get all
 * bytes.
 */
const escaping = (terminal: Terminal): Terminal =>
  terminal.columns === undefined ? terminal : { ...terminal, write: (text) => terminal.write(printable(text)) };

function formatOf({ fields }: FunnelLeads, options: ExportOptions, { note }: Terminal): Format {
  const declared = fields.map(({ id }) => id);
  for (const field of options.fields ?? []) {
    if (!declared.includes(field))
      note(`The field ${printableLine(field)} is not in the funnel's published version: check the spelling.`);
  }
  if (options.format === 'jsonl') {
    const fieldIds = options.fields && new Set(options.fields);
    return { head: '', rows: (leads) => leads.map((lead) => `${leadJson(lead, fieldIds)}\n`).join('') };
  }
  const withOther = options.fields === undefined;
  const csv = leadCsv({ fields: options.fields ?? declared, withOther, raw: options.raw });
  return { ...csv, head: `${options.bom ? BYTE_ORDER_MARK : ''}${csv.head}` };
}
