import { stringify } from 'csv-stringify/sync';

/** What a spreadsheet takes for the start of a formula, in both widths (OWASP, CSV injection). */
const FORMULA_START = '=+\\-@＝＋－＠';
/** A leading apostrophe is doubled, so that one can be removed again. */
const FORMULA = new RegExp(`^'*[${FORMULA_START}\\t\\r\\n]`);
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/**
 * Where a cell can be split: a spreadsheet whose separator is not the comma ignores quotes that follow one, and quotes at
 * the start of a part hide what follows. A comma is no risk: cells that hold one are quoted.
 */
const FORMULA_AFTER_SEPARATOR = new RegExp(`(?<=[;|\\t\\r\\n])(?=[ "']*[${FORMULA_START}])`, 'g');

/**
 * Puts an apostrophe before each part of a CSV cell that a spreadsheet would run as a formula, whether its separator is a
 * comma, semicolon, bar or tab. A cell that is a number, or a phone number in international form, stays as it is.
 */
export function escapeCsvFormula(cell: string): string {
  if (NUMBER.test(cell)) return cell;
  const safe = cell.replace(FORMULA_AFTER_SEPARATOR, "'");
  return FORMULA.test(cell) ? `'${safe}` : safe;
}

/** Rows as CSV (RFC 4180): CRLF, quoted where needed. @param raw writes cells unchanged, even formulas */
export const createCsvWriter =
  (raw: boolean) =>
  (rows: readonly (readonly string[])[], isSafe: (column: number) => boolean = () => false): string => {
    const cellOf = (cell: string, column: number) => (raw || isSafe(column) ? cell : escapeCsvFormula(cell));
    const cells = rows.map((row) => row.map(cellOf));
    return stringify(cells, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });
  };
