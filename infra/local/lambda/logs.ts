import { createWriteStream, renameSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import type { RuntimeOutput } from '../common/output.ts';
import { notWritable } from '../friendly-error.ts';
import { diskFullMessage } from '../runtime/disk-space.ts';

const BYTES_MAX = 32 * 1024 * 1024;
const FAULT = '{"level":"error"';

/** What a metric's line has: CloudWatch takes it for metrics by this member. */
const METRIC = '"_aws":{';

/**
 * Sends what the functions write to standard output, as structured lines, to files: the laptop's CloudWatch. Metrics go to
 * a file of their own, where they don't hide the lines about requests. Errors are named at the terminal as well.
 *
 * @returns how to speak to the terminal from now on, and how to log a request
 */
export function redirectFunctionLogs(file: string, metricsFile: string): RuntimeOutput {
  // A terminal that has gone must not end the service, nor make it tell the terminal so for ever.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  const terminal = process.stdout.write.bind(process.stdout);
  const say = (line: string) => void terminal(`${line}\n`);
  const log = boundedFile(file, say);
  const metrics = boundedFile(metricsFile, say);
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    if (typeof chunk === 'string' && chunk.startsWith(FAULT)) say(`  A function reports a fault, see ${file}`);
    return typeof chunk === 'string' && chunk.includes(METRIC) ? metrics(chunk) : log(chunk);
  };
  return {
    print: say,
    reportError: (what, error) => {
      const full = diskFullMessage(dirname(file));
      say(full === undefined ? `  ${what}, see ${file}` : `  ${what}. ${full}`);
      log(`${what}: ${inspect(error)}\n`);
    },
    logRequest: (line) => void log(`${line}\n`),
  };
}

type Write = (chunk: string | Uint8Array) => boolean;

/** Writes to a file. At its limit it starts a new one and keeps the one before. */
function boundedFile(file: string, say: (line: string) => void): Write {
  const open = (): WriteStream =>
    createWriteStream(file).once('error', (error) => say(`  The log ${notWritable(file, error).message}`));
  let stream = open();
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) {
      renameSync(file, `${file}.1`);
      stream.end();
      stream = open();
      bytes = chunk.length;
    }
    return stream.write(chunk);
  };
}
