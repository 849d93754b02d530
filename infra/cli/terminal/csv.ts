import { stringify } from 'csv-stringify/sync';

/** Characters that start a formula in a spreadsheet, in both widths (OWASP, CSV injection). */
const FORMULA_START = '=+\\-@＝＋－＠';
/** A leading apostrophe is doubled, so that one can be removed again. */
const FORMULA = new RegExp(`^'*[${FORMULA_START}\\t\\r\\n]`);
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/**
 * Where a spreadsheet with another separator than the comma splits a cell. It ignores quotes after a separator, and quotes
 * at the start of a part hide what follows. A comma is no risk: cells with commas are quoted.
 */
const FORMULA_AFTER_SEPARATOR = new RegExp(`(?<=[;|\\t\\r\\n])(?=[ "']*[${FORMULA_START}])`, 'g');

/**
 * Puts an apostrophe before each part of a CSV cell that a spreadsheet would run as a formula, whether its separator is a
 * comma, semicolon, bar or tab. Numbers, and phone numbers in international form, are unchanged.
 */
function escapeCsvFormula(cell: string): string {
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
