import { createWriteStream, renameSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { notWritable } from '../../common/user-error.ts';
import type { RuntimeOutput } from '../common/output.ts';
import { diskFullMessage } from '../runtime/disk-space.ts';

const LOG_BYTES_MAX = 32 * 1024 * 1024;
/**
 * Lines that are logged within this time are written together, because one write per request would cost several percent
 * of the throughput.
 */
const LOG_FLUSH_MS = 10;
/** How log lines of errors begin. */
const ERROR_LINE_START = '{"level":"error"';
/** CloudWatch recognizes lines with metrics by this property. */
const METRICS_MEMBER = '"_aws":{';

/**
 * Redirects the standard output of the functions to files. Metrics go to a separate file, so that they don't hide the
 * lines about requests. When a function logs an error, the terminal shows the name of the file.
 */
export function redirectFunctionLogs(file: string, metricsFile: string): RuntimeOutput {
  // A closed terminal must not end the service. Without a listener, each failed write would be an uncaught exception.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  const writeToTerminal = process.stdout.write.bind(process.stdout);
  const print = (line: string) => void writeToTerminal(`${line}\n`);
  const writeLog = openRotatingFile(file, print);
  const writeMetrics = openRotatingFile(metricsFile, print);
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    if (typeof chunk === 'string' && chunk.startsWith(ERROR_LINE_START)) {
      print(`  A function logged an error. See ${file}`);
    }
    return typeof chunk === 'string' && chunk.includes(METRICS_MEMBER) ? writeMetrics(chunk) : writeLog(chunk);
  };
  return {
    print,
    reportError: (what, error) => {
      const diskFull = diskFullMessage(dirname(file));
      const sentence = what.replace(/\.$/, '');
      print(diskFull === undefined ? `  ${sentence}. See ${file}` : `  ${sentence}. ${diskFull}`);
      writeLog(`${what}: ${inspect(error)}\n`);
    },
    writeAccessLog: (line) => void writeLog(`${line}\n`),
  };
}

type Write = (chunk: string | Uint8Array) => boolean;

/** Opens a log file. At its size limit, the file is renamed to `.1`, and a new file is started. */
function openRotatingFile(file: string, print: (line: string) => void): Write {
  const open = (): WriteStream =>
    createWriteStream(file).once('error', (error) => print(`  Logging failed: ${notWritable(file, error).message}`));
  let stream = open();
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    if (bytes > LOG_BYTES_MAX) {
      renameSync(file, `${file}.1`);
      stream.end();
      stream = open();
      bytes = chunk.length;
    }
    if (stream.writableCorked === 0) {
      stream.cork();
      setTimeout((corked: WriteStream) => corked.uncork(), LOG_FLUSH_MS, stream);
    }
    return stream.write(chunk);
  };
}
