const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 220;
const BASE = HEIGHT - 24;
const TOP = 10;
const LABEL_WIDTH = 64;
const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact' });

/**
 * Parses the local time of a bucket's start as UTC. The formats below also use UTC. Without this, labels would show
 * times in the browser's time zone.
 */
const clock = (bucket) => new Date(`${bucket.slice(0, 19)}Z`);
const format = (options) => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
const DATE = format({ day: 'numeric', month: 'short' });
const HOUR = format({ hour: '2-digit', minute: '2-digit' });
const LONG_DATE = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });

const LENGTH_MS = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 };

/** Whether a bucket ends after the requested range. The counts of such a bucket are incomplete. */
const isUnfinished = (bucket, { granularity, until }) =>
  Date.parse(until) < Date.parse(bucket) + LENGTH_MS[granularity];

/** Returns the label of a bucket. If an hour occurs twice (end of summer time), its labels include the UTC offset. */
export function bucketName(bucket, series) {
  return `${nameOf(bucket, series)}${isUnfinished(bucket, series) ? ' (so far)' : ''}`;
}

function nameOf(bucket, { granularity, points }) {
  const date = LONG_DATE.format(clock(bucket));
  if (granularity === 'week') return `week of ${date}`;
  if (granularity === 'day') return date;
  const twice = points.filter((point) => point.bucket.slice(0, 16) === bucket.slice(0, 16)).length > 1;
  return `${date}, ${HOUR.format(clock(bucket))}${twice ? ` (UTC${bucket.slice(19)})` : ''}`;
}

const counted = (count, unit) => `${whole.format(count)} ${unit}${count === 1 ? '' : 's'}`;
const inWords = ({ starts, completions, conversionRate }) =>
  `${counted(starts, 'start')}, ${counted(completions, 'completion')}, ${conversionRate.toLocaleString('en')}% conversion`;

/** Draws a bar chart of starts and completions in `place`. The readout describes the bucket under the pointer. */
export function drawSeries(place, readout, series) {
  const { granularity, points } = series;
  const width = Math.max(280, place.clientWidth);
  const most = niceMost(Math.max(1, ...points.map(({ starts }) => starts)));
  const left = 10 + 8 * Math.max(...[most / 2, most].map((value) => short.format(value).length));
  const step = (width - left) / Math.max(1, points.length);
  const frame = { width, left, step, most };
  const svg = createElement('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: 'img' });
  readout.textContent = summary(series);
  svg.setAttribute('aria-label', readout.textContent);
  svg.append(...gridLines(frame), ...timeLabels(frame, granularity, points));
  const band = createElement('rect', { class: 'band', y: TOP, width: step, height: BASE - TOP, visibility: 'hidden' });
  svg.append(band, ...bars('starts', frame, series), ...bars('completions', frame, series));
  place.replaceChildren(svg);
  followPointer(
    svg,
    band,
    readout,
    frame,
    (at) => `${bucketName(points[at].bucket, series)}: ${inWords(points[at])}`,
    points.length,
  );
}

function summary(series) {
  const { granularity, points } = series;
  const peak = points.reduce((best, point) => (point.starts > (best?.starts ?? 0) ? point : best), undefined);
  if (peak === undefined) return 'No starts in this range.';
  return `Peak ${granularity}, ${bucketName(peak.bucket, series)}: ${inWords(peak)}.`;
}

/** Rounds up to an even number with one significant digit. Even, because the chart also labels half of the number. */
function niceMost(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power);
  return steps.find((step) => step >= value && step % 2 === 0) ?? 10 * power;
}

function gridLines({ width, left, most }) {
  return [0, most / 2, most].flatMap((value) => {
    const y = BASE - (value / most) * (BASE - TOP);
    const label = createElement('text', { class: 'tick', x: left - 6, y: y + 4, 'text-anchor': 'end' });
    label.textContent = short.format(value);
    return [createElement('line', { class: 'grid', x1: left, x2: width, y1: y, y2: y }), label];
  });
}

function timeLabels({ width, left, step }, granularity, points) {
  const room = Math.max(1, Math.floor((width - left) / LABEL_WIDTH));
  const each = Math.ceil(points.length / room);
  const sameDay = points.at(0)?.bucket.slice(0, 10) === points.at(-1)?.bucket.slice(0, 10);
  const name = granularity === 'hour' && sameDay ? HOUR : DATE;
  const labels = [];
  let last;
  for (let at = 0; at < points.length; at += each) {
    const words = name.format(clock(points[at].bucket));
    // Skip a label that repeats the previous label or would be cut off at the end.
    if (words === last || left + at * step > width - LABEL_WIDTH / 2) continue;
    last = words;
    const label = createElement('text', { class: 'tick', x: left + at * step, y: HEIGHT - 6 });
    label.textContent = words;
    labels.push(label);
  }
  return labels;
}

/**
 * Draws the bars of all finished buckets as one shape, and the bar of an unfinished bucket as a second shape. One shape
 * per bar would be slow, because a month of hourly buckets has up to 745 bars.
 */
function bars(kind, frame, series) {
  const all = barShapes(kind, frame, series.points);
  const finished = all.filter((_, at) => !isUnfinished(series.points[at].bucket, series));
  const shape = (name, shapes) => createElement('path', { class: `bar ${kind} ${name}`, d: shapes.join('') });
  return [shape('finished', finished), shape('unfinished', all.slice(finished.length))];
}

function barShapes(kind, { left, step, most }, points) {
  const gap = step > 6 ? 2 : step > 3 ? 1 : 0;
  return points.map((point, at) => {
    const height = (point[kind] / most) * (BASE - TOP);
    if (height === 0) return '';
    const x = left + at * step + gap / 2;
    return `M${x.toFixed(2)} ${BASE}v${(-Math.max(1, height)).toFixed(2)}h${(step - gap).toFixed(2)}V${BASE}z`;
  });
}

function followPointer(svg, band, readout, { left, step }, wordsOf, count) {
  const idle = readout.textContent;
  const show = (event) => {
    const at = Math.floor((event.clientX - svg.getBoundingClientRect().left - left) / step);
    if (at < 0 || at >= count) return;
    band.setAttribute('x', left + at * step);
    band.setAttribute('visibility', 'visible');
    readout.textContent = wordsOf(at);
  };
  svg.addEventListener('pointermove', show);
  svg.addEventListener('pointerdown', show);
  svg.addEventListener('pointerleave', () => {
    band.setAttribute('visibility', 'hidden');
    readout.textContent = idle;
  });
}

function createElement(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
