/**
 * Parses CSV strictly by RFC 4180.
 *
 * @throws Error for a misplaced quote or line break
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const { cell, end } = text[at] === '"' ? quoted(text, at + 1) : bare(text, at);
    row.push(cell);
    if (text[end] === ',') {
      at = end + 1;
    } else if (text.startsWith('\r\n', end)) {
      rows.push(row);
      row = [];
      at = end + 2;
    } else {
      throw new Error(`The CSV has neither a comma nor CRLF at character ${end}.`);
    }
  }
  if (row.length > 0) throw new Error('The last line of the CSV does not end with CRLF.');
  return rows;
}

function quoted(text: string, start: number): { cell: string; end: number } {
  for (let at = start; at < text.length; at++) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return { cell: text.slice(start, at).replaceAll('""', '"'), end: at + 1 };
    at++;
  }
  throw new Error(`The CSV has no closing quote for the cell that begins at character ${start}.`);
}

function bare(text: string, start: number): { cell: string; end: number } {
  const cell = /^[^",\r\n]*/.exec(text.slice(start))?.[0] ?? '';
  return { cell, end: start + cell.length };
}
