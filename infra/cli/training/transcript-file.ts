import { countWords } from '../../../shared/training/analysis/words.ts';
import type { TranscriptTurn } from '../../../shared/training/call.ts';
import { UserError } from '../../common/user-error.ts';
import { FILE_BYTES_MAX } from '../json-document/parse.ts';
import { readInputFile } from '../terminal/input-file.ts';

const ROLES: Record<string, TranscriptTurn['role']> = { trainee: 'user', customer: 'agent' };
const LINE = /^(?:\[(\d{1,3}):([0-5]\d)\]\s*)?(trainee|customer):(.*)$/i;
/** Pace of a usual conversation. If a turn has no time, its time is calculated from this pace. */
const SECONDS_PER_WORD = 60 / 150;

/**
 * Parses a handwritten transcript: one turn per line, such as `trainee: What do you need?`, optionally preceded by the
 * time in the call, such as `[01:05]`. Ignores empty lines.
 *
 * @throws UserError that names the file, and the line if a line is invalid
 */
export async function readTranscriptFile(path: string): Promise<TranscriptTurn[]> {
  const turns: TranscriptTurn[] = [];
  let clockSeconds = 0;
  let lastGivenSeconds = 0;
  for (const [index, line] of (await textOf(path)).split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '') continue;
    const lineError = (what: string) => new UserError(`${path}, line ${index + 1}: ${what}`);
    const { role, message, givenSeconds } = parsedLine(line.trim(), lineError);
    if (givenSeconds !== undefined) {
      if (givenSeconds < lastGivenSeconds) throw lineError('the time is before the time of an earlier line.');
      lastGivenSeconds = givenSeconds;
      clockSeconds = givenSeconds;
    }
    turns.push({ role, message, timeInCallSecs: Math.floor(clockSeconds) });
    clockSeconds += countWords(message) * SECONDS_PER_WORD;
  }
  if (!turns.some(({ role }) => role === 'user'))
    throw new UserError(`${path} has no line of the trainee: begin at least one line with "trainee:".`);
  return turns;
}

function parsedLine(line: string, lineError: (what: string) => UserError) {
  const [, minutes, seconds, who = '', text = ''] = LINE.exec(line) ?? [];
  const role = ROLES[who.toLowerCase()];
  if (role === undefined) {
    throw lineError('the line must begin with "trainee:" or "customer:", optionally after a time such as [01:05].');
  }
  const message = text.trim();
  if (message === '') throw lineError(`there is no text after "${who.toLowerCase()}:".`);
  return { role, message, givenSeconds: minutes === undefined ? undefined : Number(minutes) * 60 + Number(seconds) };
}

async function textOf(path: string): Promise<string> {
  const bytes = await readInputFile(path);
  if (bytes.length > FILE_BYTES_MAX)
    throw new UserError(`${path} is larger than ${FILE_BYTES_MAX.toLocaleString('en')} bytes: shorten it.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UserError(`${path} is not UTF-8 text: save it as UTF-8.`, { cause });
  }
}
