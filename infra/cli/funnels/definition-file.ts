import { UserError } from '../../common/user-error.ts';
import { formatCount } from '../terminal/format.ts';
import { readInputFile } from '../terminal/input-file.ts';
import { toJson } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { hangingIndent } from '../terminal/wrap-text.ts';
import type { FunnelDefinition } from './definition/funnel-definition.ts';
import { parseFunnelDefinition } from './definition/parse-definition.ts';

/** Reads a funnel file. @throws UserError for an unreadable file, and for an invalid file after printing its issues */
export async function readDefinitionFile(path: string, json: boolean, terminal: Terminal): Promise<FunnelDefinition> {
  const parsed = parseFunnelDefinition(await readInputFile(path));
  if ('file' in parsed) return parsed.file;
  const { issues, more } = parsed;
  if (json) await terminal.write(`${toJson({ valid: false, issues, more })}\n`);
  else {
    for (const { line, column, path: at, message } of issues) {
      const text = printableLine(`${at === '' ? '' : `${at}: `}${message}`);
      terminal.note(hangingIndent(`${`${line}:${column}`.padEnd(8)} `, text, terminal.columns).trimEnd());
    }
  }
  const shown = more === 0 ? '' : `; the first ${issues.length} are shown`;
  throw new UserError(
    `${path} is not valid: it has ${formatCount(issues.length + more, 'issue')}${shown}. Nothing was changed.`,
  );
}
