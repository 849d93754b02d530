import { barRow } from './bars.js';
import { nameOf } from './dimensions.js';
import { filterChips } from './filters.js';
import { drawHeat } from './heat-map.js';
import { numbersApi } from './numbers-api.js';
import { drawSeries } from './series-chart.js';
import { seriesTable } from './series-table.js';
import { valueLists } from './value-lists.js';

const POLL_MS = 2_000;
const READS = ['overview', 'timeseries', 'acquisition'];
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
];

const config = JSON.parse(document.getElementById('config').textContent);
const { organization } = config;
const readFrom = numbersApi(config);

const element = (id) => document.getElementById(id);
const controls = element('controls');
const { range, granularity, timezone, since, until } = controls.elements;
const whole = new Intl.NumberFormat('en');
const percent = (value) => `${value.toLocaleString('en', { maximumFractionDigits: 2 })}%`;

const filters = filterChips(element('filters'), requestSelection);
const drawLists = valueLists(element('lists'), filters);

/** The time at which the shown numbers were read. */
let readAt;
let shown = {};
/** The number of the latest read. Responses to earlier reads are dropped. */
let latestRead = 0;
let timer;

function setUp() {
  element('organization').textContent = organization.name;
  document.title = `${organization.name}: live numbers`;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const zone of new Set([organization.timezone, own, ...ZONES])) {
    timezone.append(new Option(zone.replaceAll('_', ' '), zone));
  }
  const query = new URLSearchParams(location.search);
  for (const name of ['range', 'granularity', 'timezone', 'since', 'until']) {
    if (query.has(name)) controls.elements[name].value = query.get(name);
  }
  if (!range.value) range.value = '30d';
  if (!timezone.value) timezone.value = organization.timezone;
  if (granularity.selectedIndex < 0) granularity.value = '';
  filters.load(query);
  showDates();
}

/** Shows the date inputs if a custom range is selected. The default dates are the last seven days. */
function showDates() {
  const custom = range.value === 'custom';
  element('dates').hidden = !custom;
  for (const input of [since, until]) input.disabled = !custom;
  if (!custom) return;
  const day = (ago) => new Date(Date.now() - 86_400_000 * ago).toLocaleDateString('sv', { timeZone: timezone.value });
  until.value ||= day(0);
  since.value ||= day(6);
}

/** Returns the query with the form's values and the filters. */
const selection = () =>
  new URLSearchParams([...[...new FormData(controls)].filter(([, value]) => value !== ''), ...filters.entries()]);

async function refresh() {
  clearTimeout(timer);
  latestRead += 1;
  const thisRead = latestRead;
  const outcome = await readAll(selection());
  if (thisRead !== latestRead) return;
  if (outcome.texts) {
    readAt = Date.now();
    render(outcome.texts);
  }
  complain(outcome.problem?.message);
  // In the background, the page schedules no further read. It reads the numbers again when it becomes visible.
  if (document.hidden || outcome.problem?.final) return;
  timer = setTimeout(refresh, outcome.problem ? Math.max(outcome.problem.retryAfterMs, 2 * POLL_MS) : POLL_MS);
}

async function readAll(query) {
  try {
    return { texts: await Promise.all(READS.map((name) => readFrom(name, query))) };
  } catch (problem) {
    return { problem };
  }
}

/** Redraws only what has changed. */
function render(texts) {
  const draw = { overview: renderOverview, timeseries: renderSeries, acquisition: renderAcquisition };
  element('numbers').setAttribute('aria-busy', 'false');
  for (const [at, name] of READS.entries()) {
    if (shown[name] === texts[at]) continue;
    shown[name] = texts[at];
    draw[name](JSON.parse(texts[at]));
  }
}

function renderOverview({ overview, devices }) {
  const sessions = devices.reduce((sum, { total }) => sum + total, 0);
  put('sessions', whole.format(sessions));
  put('starts', whole.format(overview.totalStarts));
  put('completions', whole.format(overview.totalCompletions));
  put('conversion', percent(overview.conversionRate));
  element('empty').hidden = sessions > 0;
  element('charts').hidden = sessions === 0;
  element('path').replaceChildren(...pathRows(sessions, overview));
  element('devices').replaceChildren(...deviceRows(devices));
}

function renderSeries(series) {
  drawSeries(element('series'), element('readout'), series);
  seriesTable(element('series-table'), series);
}

function renderAcquisition(acquisition) {
  drawHeat(element('heat'), element('busiest'), acquisition.hours);
  drawLists(acquisition);
}

function pathRows(sessions, { totalStarts, totalCompletions }) {
  const rows = [
    ['Visited', sessions, 'sessions'],
    ['Started', totalStarts, 'starts'],
    ['Completed', totalCompletions, 'completions'],
  ];
  return rows.map(([label, count, kind]) =>
    barRow({
      label,
      words: `${whole.format(count)} (${percent(Math.round((1_000 * count) / (sessions || 1)) / 10)})`,
      layers: [[kind, count / (sessions || 1)]],
    }),
  );
}

function deviceRows(devices) {
  const most = Math.max(1, ...devices.map(({ total }) => total));
  return devices.map(({ deviceType, total, starts, completions }) =>
    barRow({
      label: nameOf('deviceType', deviceType),
      words: `${whole.format(total)} / ${whole.format(starts)} / ${whole.format(completions)}`,
      spoken: `${total} sessions, ${starts} starts, ${completions} completions`,
      layers: [
        ['sessions', total / most],
        ['starts', starts / most],
        ['completions', completions / most],
      ],
      press: {
        key: `deviceType ${deviceType}`,
        pressed: filters.has('deviceType', deviceType),
        act: () => filters.toggle('deviceType', deviceType),
      },
    }),
  );
}

/** Shows a number, and highlights it if it replaces another number. */
function put(id, words) {
  const place = element(id);
  if (place.textContent === words) return;
  const first = place.textContent === '–';
  place.textContent = words;
  place.removeAttribute('data-changed');
  if (first) return;
  // This read forces a layout. Without a layout, the browser would not restart a running animation.
  place.getBoundingClientRect();
  place.setAttribute('data-changed', '');
}

function complain(words) {
  element('problem').textContent = words ?? '';
  element('problem').hidden = words === undefined;
  element('numbers').toggleAttribute('data-stale', words !== undefined);
  showFreshness();
}

function showFreshness() {
  const stale = !element('problem').hidden;
  element('pulse').dataset.state = stale ? 'stale' : readAt === undefined ? 'loading' : 'live';
  if (readAt === undefined) return;
  const seconds = Math.round((Date.now() - readAt) / 1_000);
  element('freshness').textContent = seconds < 3 ? 'updated just now' : `updated ${seconds} s ago`;
}

/** Requests the numbers of a changed selection. Until the response arrives, no totals are shown. */
function requestSelection() {
  showDates();
  history.replaceState(null, '', `?${selection()}`);
  element('numbers').setAttribute('aria-busy', 'true');
  for (const id of ['sessions', 'starts', 'completions', 'conversion']) element(id).textContent = '–';
  shown = {};
  refresh();
}

controls.addEventListener('change', requestSelection);
document.addEventListener('visibilitychange', () => document.hidden || refresh());
new ResizeObserver(() => shown.timeseries && renderSeries(JSON.parse(shown.timeseries))).observe(element('series'));

setUp();
setInterval(showFreshness, 1_000);
refresh();
