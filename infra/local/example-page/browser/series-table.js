import { bucketName } from './series-chart.js';

const whole = new Intl.NumberFormat('en');
const COLUMNS = [
  ['Starts', ({ starts }) => whole.format(starts)],
  ['Completions', ({ completions }) => whole.format(completions)],
  ['Conversion', ({ conversionRate }) => `${conversionRate.toLocaleString('en')}%`],
];

/** Shows the series as a table, newest first. The table is created when the user opens it. */
export function seriesTable(details, series) {
  details.ontoggle = () => {
    if (details.open) show(details, series);
  };
  if (details.open) show(details, series);
  else details.querySelector('.table-room')?.remove();
}

function show(details, series) {
  const room = document.createElement('div');
  room.className = 'table-room';
  room.tabIndex = 0;
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  head.append(...['When', ...COLUMNS.map(([title]) => title)].map((title) => heading('col', title)));
  const body = table.createTBody();
  for (const point of series.points.toReversed()) {
    const row = body.insertRow();
    row.append(heading('row', bucketName(point.bucket, series)));
    for (const [, wordsOf] of COLUMNS) row.insertCell().textContent = wordsOf(point);
  }
  room.append(table);
  details.querySelector('.table-room')?.remove();
  details.append(room);
}

function heading(scope, words) {
  const element = document.createElement('th');
  element.scope = scope;
  element.textContent = words;
  return element;
}
