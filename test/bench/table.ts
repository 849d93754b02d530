export type Row = { what: string; measured: string; budget: string; met: boolean };

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * A row with a budget.
 *
 * @param direction whether the figure must be at least or at most the budget
 */
export function row(
  what: string,
  figure: number,
  budget: number,
  unit: string,
  direction: 'at least' | 'at most',
): Row {
  const met = direction === 'at least' ? figure >= budget : figure <= budget;
  return {
    what,
    measured: `${shown(figure)} ${unit}`.trim(),
    budget: `${direction} ${shown(budget)} ${unit}`.trim(),
    met,
  };
}

/** A row without a budget. */
export const figure = (what: string, measured: number, unit: string): Row => ({
  what,
  measured: `${shown(measured)} ${unit}`.trim(),
  budget: '',
  met: true,
});

const shown = (figure: number): string =>
  figure.toLocaleString('en', { maximumFractionDigits: figure < 1 ? 3 : figure < 100 ? 2 : 0 });

/** Formats the rows as a table. Each row with a budget ends with `met` or `NOT MET`. */
export function table(rows: readonly Row[]): string {
  const widths = (['what', 'measured', 'budget'] as const).map((column) =>
    Math.max(...rows.map((one) => one[column].length)),
  );
  const line = ({ what, measured, budget, met }: Row) =>
    [
      what.padEnd(widths[0] ?? 0),
      measured.padStart(widths[1] ?? 0),
      budget.padStart(widths[2] ?? 0),
      budget === '' ? '' : met ? 'met' : 'NOT MET',
    ]
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}
