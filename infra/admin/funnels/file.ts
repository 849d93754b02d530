import type { Fault } from '../../../shared/directory/funnel-file/fault.ts';
import { readFunnelFile } from '../../../shared/directory/funnel-file/read-funnel-file.ts';
import { type FunnelFile, funnelFileSchema } from '../../../shared/directory/funnel-file.ts';
import { FriendlyError } from '../../local/friendly-error.ts';
import { counted } from '../analytics/words.ts';
import { fileBytes } from '../file-bytes.ts';
import { printableJson, printableLine } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { hanging } from '../wrapped.ts';

type Json = { json?: true };

/** Tells whether a file can be published. @throws FriendlyError when it can not, with all that is wrong told before */
export async function validateFile(path: string, options: Json, terminal: Terminal): Promise<void> {
  const file = await fileAt(path, options, terminal);
  if (options.json) return terminal.write(`${JSON.stringify({ valid: true, faults: [], more: 0 })}\n`);
  const things = [counted(file.fields.length, 'field'), counted(file.steps?.length ?? 0, 'step')];
  await terminal.write(`${path} is right: ${things.join(', ')}.\n`);
}

export async function writeSchema({ write }: Terminal): Promise<void> {
  await write(`${JSON.stringify(funnelFileSchema(), null, 2)}\n`);
}

/** A funnel as a file describes it. @throws FriendlyError when it can not be used, with all that is wrong told before */
export async function fileAt(path: string, { json }: Json, terminal: Terminal): Promise<FunnelFile> {
  const reading = readFunnelFile(await fileBytes(path));
  if ('file' in reading) return reading.file;
  const { faults, more } = reading;
  if (json) await terminal.write(`${printableJson(JSON.stringify({ valid: false, faults, more }))}\n`);
  else for (const fault of faults) terminal.note(faultText(fault, terminal.columns));
  const further = more === 0 ? '' : `, of which the first ${faults.length} are shown`;
  const count = counted(faults.length + more, 'fault');
  throw new FriendlyError(`${path} can not be used: it has ${count}${further}. Nothing was changed.`);
}

function faultText({ line, column, path, message }: Fault, columns: number | undefined): string {
  const lead = `${line}:${column}`.padEnd(8);
  const where = path === '' ? '' : `${path}: `;
  return hanging(`${lead} `, printableLine(`${where}${message}`), columns).trimEnd();
}
