import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isTimeZone } from '../../../shared/platform/time-zone.ts';
import { notReadable, UserError } from '../../common/user-error.ts';
import { LAKE_VIEWS } from '../../lake-views/views.ts';
import type { CliContext } from '../cli-context.ts';
import { addEnvironmentOptions } from '../environment/environment-options.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { createSingleCommand, runProgram } from '../program/single-command.ts';
import { toUserMessage } from '../program/user-message.ts';
import { printable } from '../terminal/printable.ts';
import { downloadLake, resolveCopiesFolder } from './download-lake.ts';
import { queryLake, SqlError } from './lake-database.ts';
import { LakeFileMissingError, type LakePorts, listLake } from './lake-files.ts';
import { csvOutput, jsonOutput, TABLE_ROWS_MAX, tableOutput } from './output.ts';

export type QueryPorts = CliContext & LakePorts;

type QueryOptions = EnvironmentOptions & { file?: string; csv?: true; json?: true; raw?: true; timezone: string };

/**
 * Maximum number of attempts to list and copy the files. An attempt fails if an erasure, a compaction or another query
 * removes a file after it was listed.
 */
const ATTEMPTS = 3;

/**
 * Runs `npm run query`.
 *
 * @param args without node and the script
 * @returns the exit code: 0 success, 1 failure, 2 usage error
 */
export const runQuery = (args: readonly string[], ports: QueryPorts): Promise<number> =>
  runProgram(programOf(ports), args.map(escapeSqlComment), ports.terminal, (error) =>
    error instanceof SqlError ? printable(error.message) : toUserMessage(error),
  );

/** Puts a space before SQL that begins with a comment, because the comment looks like an option. */
const escapeSqlComment = (arg: string): string => (/^--\s/.test(arg) ? ` ${arg}` : arg);

function programOf(ports: QueryPorts): Command {
  const program = createSingleCommand('npm run query --', ports.terminal)
    .description(
      'Copies the files with the sessions and events of all funnels to this machine, and runs a SELECT (DuckDB SQL) ' +
        'over the copies. Changes no stored data.',
    )
    .argument('[sql]', 'a SELECT, in quotation marks')
    .option('--file <file>', 'a file that contains the SELECT, instead of the argument')
    .addOption(
      new Option('--csv', `write all rows as CSV, instead of a table of at most ${TABLE_ROWS_MAX} rows`).conflicts(
        'json',
      ),
    )
    .option('--json', 'write all rows as an array of JSON objects, instead of a table')
    .option(
      '--raw',
      'with --csv: write cells unchanged ' +
        '(default: put an apostrophe before a cell that a spreadsheet would run as a formula)',
    )
    .option(
      '--timezone <name>',
      'IANA name of the time zone in which days begin, such as Europe/Berlin',
      parseTimeZone,
      'UTC',
    );
  return addEnvironmentOptions(program)
    .addHelpText(
      'after',
      `
For example, the sessions of each funnel:
  npm run query -- "SELECT funnel_id, sum(sessions) FROM funnel_daily GROUP BY ALL"
To write only the rows to a pipe, use npm with -s:
  npm run -s query -- "SELECT …" --csv | …

Views and their columns (docs/lake-columns.md explains each column):

${viewsText()}`,
    )
    .action(async (sql: string | undefined, options: QueryOptions, command: Command) => {
      if ((sql === undefined) === (options.file === undefined))
        command.error('error: give either a SELECT in quotation marks or --file <file>.');
      await query(sql ?? (await textOf(options.file ?? '')), options, ports);
    });
}

function parseTimeZone(given: string): string {
  if (!isTimeZone(given)) throw new InvalidArgumentError('Give the IANA name of a time zone, such as Europe/Berlin.');
  return given;
}

const viewsText = (): string =>
  LAKE_VIEWS.map(({ name, about, columns }) =>
    [`${name}: ${about}`, `  ${columns.map((column) => column.name).join(', ')}`].join('\n'),
  ).join('\n\n');

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw notReadable(file, cause);
  }
}

async function query(sql: string, options: QueryOptions, ports: QueryPorts): Promise<void> {
  const { terminal } = ports;
  await ports.connect(options);
  const { end, ...copies } = await downloadCopies(resolveCopiesFolder(options), ports);
  const output = options.json ? jsonOutput : options.csv ? csvOutput(options.raw ?? false) : tableOutput;
  const began = performance.now();
  const count = await ports.erasures
    .listAllSessions()
    .then((erased) => queryLake({ ...copies, erased }, sql, options.timezone, (result) => output(result, terminal)))
    .finally(end);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  terminal.note(`${count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`} in ${seconds} s`);
}

async function downloadCopies(folder: string, ports: LakePorts) {
  for (let attempt = 1; ; attempt++) {
    const { facts, events } = await listLake(ports);
    try {
      const run = await downloadLake(folder, [...facts, ...events], ports.objects);
      const keysOf = (files: typeof facts) => files.map(({ key }) => key);
      return { ...run, keys: { facts: keysOf(facts), raw_events: keysOf(events) } };
    } catch (error) {
      if (!(error instanceof LakeFileMissingError)) throw error;
      if (attempt === ATTEMPTS)
        throw new UserError(`The query was not run, because its result would be incomplete. ${error.message}`, {
          cause: error,
        });
    }
  }
}
