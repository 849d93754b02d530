import { stringify } from 'csv-stringify/sync';

/** Characters that start a formula in a spreadsheet, as ASCII and as full-width characters (OWASP, CSV injection). */
const FORMULA_START = '=+\\-@＝＋－＠';
/**
 * Matches a formula at the start of a cell, with or without apostrophes before it. Each matching cell gets one more
 * apostrophe at its start, so that removing one apostrophe there restores the start.
 */
const FORMULA = new RegExp(`^'*[${FORMULA_START}\\t\\r\\n]`);
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/**
 * Matches the position between a possible separator (semicolon, bar, tab or line break) and a formula. A spreadsheet
 * may start a cell there, and ignores spaces and quotes before the formula. Cells with commas are quoted, so formulas
 * after a comma are harmless.
 */
const FORMULA_AFTER_SEPARATOR = new RegExp(`(?<=[;|\\t\\r\\n])(?=[ "']*[${FORMULA_START}])`, 'g');

/**
 * Puts an apostrophe before each part of a CSV cell that a spreadsheet would run as a formula. The separator of the
 * spreadsheet can be a comma, semicolon, bar or tab. Numbers, and phone numbers such as +4930901820, are unchanged.
 */
function escapeCsvFormula(cell: string): string {
  if (NUMBER.test(cell)) return cell;
  const safe = cell.replace(FORMULA_AFTER_SEPARATOR, "'");
  return FORMULA.test(cell) ? `'${safe}` : safe;
}

/** Returns a function that formats rows as CSV (RFC 4180, lines end with CRLF). @param raw if true, keeps formulas */
export const createCsvWriter =
  (raw: boolean) =>
  (rows: readonly (readonly string[])[], isSafe: (column: number) => boolean = () => false): string => {
    const cellOf = (cell: string, column: number) => (raw || isSafe(column) ? cell : escapeCsvFormula(cell));
    const cells = rows.map((row) => row.map(cellOf));
    return stringify(cells, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });
  };
