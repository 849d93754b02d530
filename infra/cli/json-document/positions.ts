export type Positions = {
  /** Returns the line number, from 1. */
  lineOf(offset: number): number;
  /** Returns the column in characters, from 1. A surrogate pair is one character. */
  columnOf(offset: number): number;
};

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Indexes the lines of a text. Lines end with LF, CR LF or CR, as in editors. */
export function indexPositions(text: string): Positions {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  const lineOf = (offset: number) => lastAtMost(starts, offset) + 1;
  return {
    lineOf,
    columnOf: (offset) => text.slice(starts[lineOf(offset) - 1] ?? 0, offset).replace(PAIR, '_').length + 1,
  };
}

/** Returns the index of the last number that is at most `limit`. */
function lastAtMost(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length - 1];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if ((sorted[middle] ?? 0) <= limit) from = middle;
    else to = middle - 1;
  }
  return from;
}
