import { createWriteStream, renameSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { fullDisk } from './disk.ts';
import { notWritable } from './friendly-error.ts';
import type { Voice } from './report.ts';

const BYTES_MAX = 32 * 1024 * 1024;
const FAULT = '{"level":"error"';

/**
 * Sends what the functions write to standard output, as structured lines, to a file: the laptop's CloudWatch. At the
 * file's limit it starts anew and keeps the one before. Faults are named at the terminal as well.
 *
 * @returns how to speak to the terminal from now on
 */
export function divertFunctionLogs(file: string): Voice {
  // A terminal that has gone must not end the service, nor make it tell the terminal so for ever.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  const terminal = process.stdout.write.bind(process.stdout);
  const say = (line: string) => void terminal(`${line}\n`);
  const open = (): WriteStream =>
    createWriteStream(file).once('error', (error) => say(`  The log ${notWritable(file, error).message}`));
  let stream = open();
  let bytes = 0;
  const divert = (chunk: string | Uint8Array): boolean => {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) {
      renameSync(file, `${file}.1`);
      stream.end();
      stream = open();
      bytes = chunk.length;
    }
    if (typeof chunk === 'string' && chunk.startsWith(FAULT)) say(`  A function reports a fault, see ${file}`);
    return stream.write(chunk);
  };
  process.stdout.write = divert;
  return {
    say,
    report: (what, error) => {
      const full = fullDisk(dirname(file));
      say(full === undefined ? `  ${what}, see ${file}` : `  ${what}. ${full}`);
      divert(`${what}: ${inspect(error)}\n`);
    },
  };
}
