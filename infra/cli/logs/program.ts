import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { errorCode, UserError } from '../../common/user-error.ts';
import { DEFAULT_STATE } from '../../local/runtime/options.ts';
import { createSingleCommand, runProgram } from '../program/single-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { followFile } from './follow-file.ts';
import {
  formatFunctionLine,
  formatMetric,
  formatRequest,
  formatStack,
  formatText,
  type LogLine,
  parseLogLine,
} from './log-lines.ts';

type LogsOptions = { state: string; id?: string; follow: boolean };

const REQUESTS_SHOWN = 20;
const LOG_FILE = 'functions.log';
/** The log files. A rotated file (`.1`) comes before the file with the newer lines. */
const FILES = [`${LOG_FILE}.1`, LOG_FILE, 'metrics.log.1', 'metrics.log'];

/**
 * Runs `npm run logs`.
 *
 * @param args without node and the script
 * @param signal ends the command
 * @returns the exit code: 0 success, 1 failure, 2 usage error
 */
export const runLogs = (args: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<number> =>
  runProgram(programOf(terminal, signal), args, terminal);

const programOf = (terminal: Terminal, signal: AbortSignal): Command =>
  createSingleCommand('npm run logs --', terminal)
    .description(
      `Prints the last ${REQUESTS_SHOWN} requests to the local service, one line each (time, status, duration, ` +
        "operation, request id), and the warnings and errors of the service's functions since the first of these " +
        'requests. Then waits for more lines, and prints them, until Ctrl-C.',
    )
    .option('--id <request id>', 'print all lines about one request, from all functions, and exit')
    .option('--no-follow', 'exit instead of waiting for more lines')
    .addOption(
      new Option('--state <folder>', 'state folder of the local service, as given to "npm start"').default(
        DEFAULT_STATE,
        '.local',
      ),
    )
    .addHelpText('after', '\nThe request id of a response is in its header x-request-id.')
    .action(({ id, state, follow }: LogsOptions) =>
      id === undefined ? printRequests(state, follow, terminal, signal) : printRequest(id, state, terminal),
    );

async function printRequests(state: string, follow: boolean, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const file = join(state, LOG_FILE);
  const text = await textOf(file);
  if (text === undefined && !follow) throw noLogs(state);
  const complete = (text ?? '').slice(0, (text ?? '').lastIndexOf('\n') + 1);
  const lines = parseLines(`${(await textOf(`${file}.1`)) ?? ''}${complete}`).filter(isShown);
  const requests = lines.flatMap(({ kind }, index) => (kind === 'request' ? [index] : []));
  for (const line of lines.slice(requests.at(-REQUESTS_SHOWN) ?? 0)) await terminal.write(`${formatLine(line)}\n`);
  if (!follow) return;
  for await (const appended of followFile(file, Buffer.byteLength(complete), signal)) {
    for (const line of parseLines(appended).filter(isShown)) await terminal.write(`${formatLine(line)}\n`);
  }
}

/** @throws UserError if there is no line about the request */
async function printRequest(id: string, state: string, terminal: Terminal): Promise<void> {
  const texts = await Promise.all(FILES.map((name) => textOf(join(state, name))));
  if (texts.every((text) => text === undefined)) throw noLogs(state);
  const lines = texts.flatMap((text) => parseLines(text ?? '')).filter(({ requestId }) => requestId === id);
  if (lines.length === 0) {
    throw new UserError(
      `There is no line with the request id ${id} in the logs of ${state}. ` +
        'Copy the id from the header x-request-id of a response, or from a line of npm run logs.',
    );
  }
  // Prints the request first, although a function logs its lines before the gateway logs the request.
  const request = lines.filter(({ kind }) => kind === 'request');
  for (const line of [...request, ...lines.filter(({ kind }) => kind !== 'request')]) {
    const stack = line.kind === 'function' ? formatStack(line) : [];
    await terminal.write([formatLine(line), ...stack, ''].join('\n'));
  }
}

const parseLines = (text: string): LogLine[] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseLogLine(line)]));

/** Whether a line is printed without --id. Metrics, and the info lines of functions, are printed only with --id. */
const isShown = (line: LogLine): boolean =>
  line.kind === 'request' || line.kind === 'text' || (line.kind === 'function' && line.level !== 'info');

function formatLine(line: LogLine): string {
  if (line.kind === 'request') return formatRequest(line);
  if (line.kind === 'text') return formatText(line);
  return line.kind === 'function' ? formatFunctionLine(line) : formatMetric(line);
}

const noLogs = (state: string): UserError =>
  new UserError(
    `There are no logs in ${state}. Start the service with "npm start" or "npm run dev", or give the state folder of ` +
      'the service with --state.',
  );

/** Returns undefined if the file does not exist. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
