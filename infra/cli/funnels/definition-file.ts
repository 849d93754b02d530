import type { ReportedIssue } from '../../../shared/directory/funnel-file/fault.ts';
import { UserError } from '../../common/user-error.ts';
import { formatCount } from '../terminal/format.ts';
import { readInputFile } from '../terminal/input-file.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { hangingIndent } from '../terminal/wrap-text.ts';
import { type FunnelDefinition, funnelDefinitionSchema } from './definition/funnel-definition.ts';
import { parseFunnelDefinition } from './definition/parse-definition.ts';

type Json = { json?: true };

/** Tells whether a file can be published. @throws FriendlyError when it can not, with all that is wrong told before */
export async function validateFile(path: string, options: Json, terminal: Terminal): Promise<void> {
  const file = await fileAt(path, options, terminal);
  if (options.json) return terminal.write(`${JSON.stringify({ valid: true, faults: [], more: 0 })}\n`);
  const things = [formatCount(file.fields.length, 'field'), formatCount(file.steps?.length ?? 0, 'step')];
  await terminal.write(`${path} is right: ${things.join(', ')}.\n`);
}

export async function writeSchema({ write }: Terminal): Promise<void> {
  await write(`${JSON.stringify(funnelDefinitionSchema(), null, 2)}\n`);
}

/** A funnel as a file describes it. @throws FriendlyError when it can not be used, with all that is wrong told before */
export async function fileAt(path: string, { json }: Json, terminal: Terminal): Promise<FunnelDefinition> {
  const reading = parseFunnelDefinition(await readInputFile(path));
  if ('file' in reading) return reading.file;
  const { faults, more } = reading;
  if (json) await terminal.write(`${printableJson(JSON.stringify({ valid: false, faults, more }))}\n`);
  else for (const fault of faults) terminal.note(faultText(fault, terminal.columns));
  const further = more === 0 ? '' : `, of which the first ${faults.length} are shown`;
  const count = formatCount(faults.length + more, 'fault');
  throw new UserError(`${path} can not be used: it has ${count}${further}. Nothing was changed.`);
}

function faultText({ line, column, path, message }: ReportedIssue, columns: number | undefined): string {
  const lead = `${line}:${column}`.padEnd(8);
  const where = path === '' ? '' : `${path}: `;
  return hangingIndent(`${lead} `, printableLine(`${where}${message}`), columns).trimEnd();
}
