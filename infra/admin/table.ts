import Table from 'cli-table3';

const NO_LINES = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((name) => [name, '']),
);
const GAP = 2;

type Layout = {
  head: readonly string[];
  /** The width of each column but the last, which takes what is left. */
  widths: readonly number[];
  /** Of the whole; undefined: no line is broken. */
  columns: number | undefined;
  /** Of each column; absent: all left. */
  aligns?: readonly ('left' | 'right')[];
};

/** Rows below a head, without lines; what is too long for its column is broken, wide letters are cut. Cells must be printable. */
export function tableText({ head, widths, columns, aligns }: Layout, rows: readonly (readonly string[])[]): string {
  const used = widths.reduce((sum, width) => sum + width + GAP, 0);
  const colWidths = [...widths.map((width) => width + GAP), columns === undefined ? null : columns - used];
  const table = new Table({
    head: [...head],
    chars: { ...NO_LINES, middle: '' },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': columns === undefined ? GAP : 0 },
    colWidths: columns === undefined ? [] : colWidths,
    colAligns: head.map((_, at) => aligns?.[at] ?? 'left'),
    wordWrap: columns !== undefined,
    wrapOnWordBoundary: false,
  });
  table.push(...rows.map((row) => [...row]));
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}
