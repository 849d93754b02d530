import { UserError } from '../../common/user-error.ts';
import { printable, printableJson, printableLine } from './printable.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** The result of a command. Texts may contain input of visitors. `renderOutput` escapes their control characters. */
export type Output = {
  /** Written with `--json`, as one line. */
  json?: unknown;
  /** Written without `--json`. A string is one line. */
  text?: Text | readonly Text[];
  /** Lines on stderr. */
  notes?: readonly string[];
  /** Lines on stderr before the notes, only without `--json`. */
  hints?: readonly string[];
  /** Lines on stderr after the notes, only without `--json`. */
  trailer?: readonly string[];
  /** If present, the command fails with this message after it has printed its output. */
  error?: string | undefined;
};

type Text = string | Rendered | Fields | Table | undefined;
type Cell = string | number | readonly string[] | null | undefined;

/** Text of several lines, in which control characters are already escaped. It is printed unchanged. */
export class Rendered {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** JSON text that is not parsed, so that no number loses a digit. */
export class RawJson {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** Labels with values. A label whose value is undefined, null or an empty list is omitted. */
export class Fields {
  readonly fields: readonly (readonly [label: string, value: Cell])[];
  constructor(...fields: readonly (readonly [label: string, value: Cell])[]) {
    this.fields = fields;
  }

  toString(): string {
    const lines = this.fields.flatMap(([label, value]) =>
      cellLines(value).map((line, at) => [at === 0 ? label : '', line] as const),
    );
    const width = Math.max(...lines.map(([label]) => label.length)) + 2;
    return lines.map(([label, line]) => `${label.padEnd(width)}${line}\n`).join('');
  }
}

export type Column<Row> = {
  head: string;
  /** Width in characters. The last column has no width, because it takes the rest of the line. */
  width?: number;
  align?: 'left' | 'right';
  /** A list has one line per element. */
  value(row: Row): Cell;
};

/** Rows of printable cells. `empty` is shown instead of a table without rows. */
export class Table {
  readonly isEmpty: boolean;
  readonly empty: string | undefined;
  /** @param available the width of the terminal; undefined if lines must not be broken */
  readonly render: (available: number | undefined) => string;

  constructor(rows: readonly (readonly string[])[], columns: readonly Omit<Column<never>, 'value'>[], empty?: string) {
    const widths = columns.slice(0, -1).flatMap(({ width }) => width ?? []);
    const head = columns.map((column) => column.head);
    const aligns = columns.map(({ align = 'left' }) => align);
    this.isEmpty = rows.length === 0;
    this.empty = empty;
    this.render = (available) =>
      formatTable({ head, aligns, widths, columns: widths.length === 0 ? undefined : available }, rows);
  }
}

/** Creates a table. If no column has a `width`, columns are as wide as their content, even in a narrow terminal. */
export const table = <Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty?: string): Table =>
  new Table(
    rows.map((row) => columns.map(({ value }) => cellLines(value(row)).join('\n'))),
    columns,
    empty,
  );

function cellLines(cell: Cell): string[] {
  if (cell === undefined || cell === null) return [];
  if (typeof cell === 'number') return [cell.toLocaleString('en')];
  return (typeof cell === 'string' ? [cell] : cell).map(printableLine);
}

/** Writes the output to stdout and its notes to stderr. @throws UserError with `output.error`, if it is set */
export async function renderOutput(output: Output, terminal: Terminal, isJson: boolean): Promise<void> {
  const { json, text, notes = [], hints = [], trailer = [], error } = output;
  if (isJson) await terminal.write(`${toJson(json)}\n`);
  else for (const part of [text].flat()) await renderText(part, terminal);
  for (const line of isJson ? notes : [...hints, ...notes, ...trailer]) terminal.note(printable(line));
  if (error !== undefined) throw new UserError(error);
}

export const toJson = (value: unknown): string =>
  printableJson(value instanceof RawJson ? value.json : JSON.stringify(value));

async function renderText(text: Text, { write, note, columns }: Terminal): Promise<void> {
  if (text === undefined) return;
  if (typeof text === 'string') return write(`${printableLine(text)}\n`);
  if (text instanceof Rendered) return write(text.text);
  if (text instanceof Fields) return write(text.toString());
  if (!text.isEmpty) return write(text.render(columns));
  if (text.empty !== undefined) note(text.empty);
}
