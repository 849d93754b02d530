import type { DuckDBResult } from '@duckdb/node-api';
import { createCsvWriter } from '../terminal/csv.ts';
import { printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { cellJson, cellText, isNumeric, shortText } from './cells.ts';

/** Writes the rows of a result. @returns the number of written rows */
export type Output = (result: DuckDBResult, terminal: Terminal) => Promise<number>;

export const TABLE_ROWS_MAX = 1_000;
const CELL_CHARACTERS_MAX = 60;

/** Writes a table of at most `TABLE_ROWS_MAX` rows, with right-aligned numbers and shortened texts. */
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
  // The text may be very long, so cut it before splitting it into characters. A character has at most two UTF-16 units.
  const characters = [...printableLine(text.slice(0, 2 * CELL_CHARACTERS_MAX + 2))];
  return characters.length > CELL_CHARACTERS_MAX
    ? `${characters.slice(0, CELL_CHARACTERS_MAX - 1).join('')}…`
    : characters.join('');
}

/** Writes CSV (RFC 4180) with a header. @param raw writes cells unchanged, even formulas */
export const csvOutput =
  (raw: boolean): Output =>
  async (result, { write }) => {
    const numeric = result.columnTypes().map(isNumeric);
    const toCsv = createCsvWriter(raw);
    await write(toCsv([result.columnNames()]));
    let count = 0;
    for await (const part of result.yieldRows()) {
      const rows = part.map((row) => row.map(cellText));
      await write(toCsv(rows, (column) => numeric[column] === true));
      count += part.length;
    }
    return count;
  };

/** Writes a JSON array with one object per line. */
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
