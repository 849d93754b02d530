/** What spreadsheets begin a formula with, in both widths; an apostrophe before it is doubled, so that one can be taken away again. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * A cell of CSV that a spreadsheet would run as a formula gets an apostrophe before it, which spreadsheets hide; numbers,
 * and phone numbers in their international form, can run nothing and stay as they are.
 */
export const unlikeFormula = (cell: string): string => (FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell);
