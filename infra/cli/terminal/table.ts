import Table from 'cli-table3';
import { wrapText } from './wrap-text.ts';

const NO_LINES = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((name) => [name, '']),
);
const GAP = 2;
/** Minimum width of the last column. */
const LAST_MIN = 10;

type Layout = {
  head: readonly string[];
  /** The width of each column except the last, which takes the rest of the line. */
  widths: readonly number[];
  /** Width of the table; undefined if lines must not be broken. */
  columns: number | undefined;
  /** Alignment of each column. Default: left. */
  aligns?: readonly ('left' | 'right')[];
};

/**
 * Formats rows below a header, without borders. Cells that are too long are broken into lines, except in a
 * right-aligned last column. Cells must be printable.
 */
export function formatTable(layout: Layout, rows: readonly (readonly string[])[]): string {
  const { head, widths, columns, aligns } = layout;
  const last = columns === undefined ? undefined : lastWidth(layout, columns, rows);
  // Breaks the lines before cli-table3 does, because cli-table3 would break words anywhere and cut wide characters.
  const broken = (text: string, at: number) => (last === undefined ? text : wrapText(text, widths[at] ?? last));
  // The width of a column includes the gap after the column. A right-aligned text would extend into the gap, so blanks
  // are added after the text.
  const needsGap = (at: number) => last !== undefined && at < widths.length && aligns?.[at] === 'right';
  const cell = (text: string, at: number) =>
    needsGap(at) ? broken(text, at).replace(/$/gm, ' '.repeat(GAP)) : broken(text, at);
  const table = new Table({
    head: head.map(cell),
    chars: { ...NO_LINES, middle: '' },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': columns === undefined ? GAP : 0 },
    colWidths: last === undefined ? [] : [...widths.map((width) => width + GAP), last],
    colAligns: head.map((_, at) => aligns?.[at] ?? 'left'),
  });
  table.push(...rows.map((row) => row.map(cell)));
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}

/**
 * Returns the width of the last column: for a right-aligned column, the length of the longest cell; otherwise, the rest
 * of the line, at least `LAST_MIN`.
 */
function lastWidth({ head, widths, aligns }: Layout, columns: number, rows: readonly (readonly string[])[]): number {
  const used = widths.reduce((sum, width) => sum + width + GAP, 0);
  if (aligns?.[widths.length] !== 'right') return Math.max(LAST_MIN, columns - used);
  return Math.max(...[head, ...rows].map((row) => row[widths.length]?.length ?? 0));
}
