import type { DuckDBResult, DuckDBValue } from '@duckdb/node-api';
import { stringify } from 'csv-stringify/sync';
import { escapeCsvFormula } from '../terminal/csv.ts';
import { printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { cellJson, cellText, isNumeric, shortText } from './cells.ts';

/** Writes a result as its rows come. @returns how many rows were written */
export type Output = (result: DuckDBResult, terminal: Terminal) => Promise<number>;

const TABLE_ROWS_MAX = 1_000;
const CELL_CHARACTERS_MAX = 60;

/** For people: columns side by side, numbers to the right, long texts cut. */
export const tableOutput: Output = async (result, { write, note }) => {
  const types = result.columnTypes();
  const head = result.columnNames().map(shown);
  const aligns = types.map((type) => (isNumeric(type) ? ('right' as const) : ('left' as const)));
  const rows: string[][] = [];
  for await (const part of result.yieldRows()) {
    rows.push(...part.map((row) => row.map((value) => shown(shortText(value)))));
    if (rows.length > TABLE_ROWS_MAX) break;
  }
  const first = rows.slice(0, TABLE_ROWS_MAX);
  await write(formatTable({ head, widths: [], columns: undefined, aligns }, first));
  if (rows.length > first.length) note('There are more rows: --csv or --json writes all of them.');
  return first.length;
};

function shown(text: string): string {
  // Two units are at most one character: what is behind them is not seen, however long it is.
  const characters = [...printableLine(text.slice(0, 2 * CELL_CHARACTERS_MAX + 2))];
  return characters.length > CELL_CHARACTERS_MAX
    ? `${characters.slice(0, CELL_CHARACTERS_MAX - 1).join('')}…`
    : characters.join('');
}

/** RFC 4180, with a head. @param raw cells also when a spreadsheet would run them as formulas */
export const csvOutput =
  (raw: boolean): Output =>
  async (result, { write }) => {
    const numeric = result.columnTypes().map(isNumeric);
    const cell = (value: DuckDBValue, at?: number) =>
      raw || (at !== undefined && numeric[at]) ? cellText(value) : escapeCsvFormula(cellText(value));
    const lines = (rows: string[][]) => stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });
    await write(lines([result.columnNames().map((name) => cell(name))]));
    let count = 0;
    for await (const part of result.yieldRows()) {
      await write(lines(part.map((row) => row.map((value, at) => cell(value, at)))));
      count += part.length;
    }
    return count;
  };

/** An array of objects, one in a line. */
export const jsonOutput: Output = async (result, { write }) => {
  const names = result.deduplicatedColumnNames();
  let count = 0;
  await write('[');
  for await (const part of result.yieldRows()) {
    const objects = part.map((row) =>
      JSON.stringify(Object.fromEntries(names.map((name, at) => [name, cellJson(row[at])]))),
    );
    if (objects.length > 0) await write(`${count === 0 ? '' : ','}\n${objects.join(',\n')}`);
    count += part.length;
  }
  await write('\n]\n');
  return count;
};
