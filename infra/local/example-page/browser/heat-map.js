/** The days of the week from Monday, with the number that the service uses: Sunday is 0. */
const DAYS = [
  ['Mon', 1],
  ['Tue', 2],
  ['Wed', 3],
  ['Thu', 4],
  ['Fri', 5],
  ['Sat', 6],
  ['Sun', 0],
];
const whole = new Intl.NumberFormat('en');
const hourName = (hour) => `${String(hour).padStart(2, '0')}:00`;

/**
 * Fills a table with the sessions per hour of the week. The more sessions a cell has, the stronger is its colour.
 * The element `busiest` shows the hour with the most sessions.
 */
export function drawHeat(table, busiest, hours) {
  const most = hours.reduce((best, cell) => (cell.sessions > best.sessions ? cell : best));
  const sessions = new Map(hours.map((cell) => [24 * cell.weekday + cell.hour, cell.sessions]));
  const rows = DAYS.map(([name, weekday]) => dayRow(name, weekday, sessions, most.sessions));
  const head = document.createElement('thead');
  const body = document.createElement('tbody');
  head.append(hourRow());
  body.append(...rows);
  table.replaceChildren(head, body);
  const day = DAYS.find(([, weekday]) => weekday === most.weekday)?.[0];
  busiest.textContent = most.sessions === 0 ? '' : `Most on ${day} at ${hourName(most.hour)}`;
}

function hourRow() {
  const row = document.createElement('tr');
  row.append(document.createElement('td'));
  for (let hour = 0; hour < 24; hour += 1) {
    const label = header('col', hourName(hour));
    // Only every sixth hour is visible. Screen readers get every hour.
    if (hour % 6 !== 0) label.firstChild.className = 'visually-hidden';
    row.append(label);
  }
  return row;
}

function dayRow(name, weekday, sessions, most) {
  const row = document.createElement('tr');
  row.append(header('row', name));
  for (let hour = 0; hour < 24; hour += 1) {
    const count = sessions.get(24 * weekday + hour) ?? 0;
    const cell = document.createElement('td');
    const words = document.createElement('span');
    words.className = 'visually-hidden';
    words.textContent = whole.format(count);
    cell.append(words);
    cell.title = `${name} ${hourName(hour)}: ${whole.format(count)} session${count === 1 ? '' : 's'}`;
    if (count > 0) cell.style.setProperty('--heat', `${(12 + (88 * count) / most).toFixed(0)}%`);
    row.append(cell);
  }
  return row;
}

function header(scope, text) {
  const element = document.createElement('th');
  element.scope = scope;
  const words = document.createElement('span');
  words.textContent = text;
  element.append(words);
  return element;
}
