import { barRow } from './bars.js';

const POLL_MS = 1_500;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
];
const DEVICES = { mobile: 'Phone', tablet: 'Tablet', desktop: 'Computer' };

const config = JSON.parse(document.getElementById('config').textContent);
const { organization, funnelId, token } = config;
const overviewUrl = `${config.baseUrl}/api/v2/organizations/${organization.id}/funnels/${funnelId}/analytics/overview`;

const element = (id) => document.getElementById(id);
const controls = element('controls');
const whole = new Intl.NumberFormat('en');
const percent = (value) => `${value.toLocaleString('en', { maximumFractionDigits: 2 })}%`;

/** When the numbers shown were read, and the latest question; answers to an earlier one are dropped. */
let readAt;
let question = 0;
let timer;

function setUp() {
  element('organization').textContent = organization.name;
  document.title = `${organization.name}: live numbers`;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const zone of new Set([organization.timezone, own, ...ZONES])) {
    element('timezone').append(new Option(zone.replaceAll('_', ' '), zone));
  }
  const asked = new URLSearchParams(location.search);
  controls.elements.range.value = asked.get('range') ?? '30d';
  if (!controls.elements.range.value) controls.elements.range.value = '30d';
  if (asked.has('timezone')) controls.elements.timezone.value = asked.get('timezone');
  if (!controls.elements.timezone.value) controls.elements.timezone.value = organization.timezone;
}

const selection = () => new URLSearchParams(new FormData(controls));

async function refresh() {
  clearTimeout(timer);
  question += 1;
  const asked = question;
  const outcome = await read();
  if (asked !== question) return;
  if (outcome.overview) {
    readAt = Date.now();
    render(outcome.overview);
  }
  complain(outcome.problem);
  // A page in the background asks for nothing; it reads again as soon as it is looked at.
  if (!document.hidden) timer = setTimeout(refresh, outcome.waitMs ?? POLL_MS);
}

/** @returns the overview, or a sentence for the person in front of the page and how long to leave the service alone */
async function read() {
  try {
    const response = await fetch(`${overviewUrl}?${selection()}`, {
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (response.ok) return { overview: await response.json() };
    const retryAfterMs = 1_000 * Number(response.headers.get('Retry-After') ?? 0);
    const { error } = await response.json().catch(() => ({}));
    return { problem: wordsFor(response.status, error), waitMs: Math.max(retryAfterMs, 2 * POLL_MS) };
  } catch {
    return {
      problem: 'The service can’t be reached at the moment. Trying again every few seconds.',
      waitMs: 2 * POLL_MS,
    };
  }
}

function wordsFor(status, error) {
  if (status === 401)
    return 'The demo token has expired. Start the demo again to get a new one, then reload this page.';
  if (status === 403) return 'This token may not read the numbers of this organization.';
  if (status === 429) return 'Too many reads in this minute. The numbers go on in a moment.';
  return `The numbers could not be read. ${error?.message ?? `The service answered ${status}.`}`;
}

function render({ overview, devices }) {
  const sessions = devices.reduce((sum, { total }) => sum + total, 0);
  put('starts', whole.format(overview.totalStarts));
  put('completions', whole.format(overview.totalCompletions));
  put('conversion', percent(overview.conversionRate));
  element('numbers').setAttribute('aria-busy', 'false');
  element('empty').hidden = sessions > 0;
  element('charts').hidden = sessions === 0;
  element('path').replaceChildren(...pathRows(sessions, overview));
  element('devices').replaceChildren(...deviceRows(devices));
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
      label: DEVICES[deviceType] ?? deviceType,
      words: `${whole.format(total)} / ${whole.format(starts)} / ${whole.format(completions)}`,
      spoken: `${total} sessions, ${starts} starts, ${completions} completions`,
      layers: [
        ['sessions', total / most],
        ['starts', starts / most],
        ['completions', completions / most],
      ],
    }),
  );
}

/** Puts a number in its place; one that differs from what stood there lights up. */
function put(id, words) {
  const place = element(id);
  if (place.textContent === words) return;
  const first = place.textContent === '–';
  place.textContent = words;
  place.removeAttribute('data-changed');
  if (first) return;
  // Reading a layout value restarts the animation for a number that changes again while it is still lit.
  place.getBoundingClientRect();
  place.setAttribute('data-changed', '');
}

function complain(words) {
  element('problem').textContent = words ?? '';
  element('problem').hidden = words === undefined;
  element('numbers').toggleAttribute('data-stale', words !== undefined);
  tellFreshness();
}

function tellFreshness() {
  const stale = !element('problem').hidden;
  element('pulse').dataset.state = stale ? 'stale' : readAt === undefined ? 'loading' : 'live';
  if (readAt === undefined) return;
  const seconds = Math.round((Date.now() - readAt) / 1_000);
  element('freshness').textContent = seconds < 1 ? 'updated just now' : `updated ${seconds} s ago`;
}

controls.addEventListener('change', () => {
  history.replaceState(null, '', `?${selection()}`);
  element('numbers').setAttribute('aria-busy', 'true');
  for (const id of ['starts', 'completions', 'conversion']) element(id).textContent = '–';
  refresh();
});
document.addEventListener('visibilitychange', () => document.hidden || refresh());

setUp();
setInterval(tellFreshness, 1_000);
refresh();
