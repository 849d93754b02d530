import { dataOf, fieldsIn, focusFirstError, markField, missingIn, restore, showErrors, typedIn } from './fields.js';
import { createLead } from './lead.js';
import { Unreachable } from './request.js';
import { createTracker } from './tracker.js';
import { openVisit } from './visit.js';

const config = JSON.parse(document.getElementById('config').textContent);
const api = `${config.baseUrl}/api/v2/public/funnel/${config.funnelId}`;

const form = document.getElementById('form');
const steps = [...form.querySelectorAll('.step')];
const lastInput = steps.length - 2;
const element = (id) => document.getElementById(id);

const { visit, save, restart } = openVisit(`northlight.${config.funnelId}`);
const lead = createLead({
  url: `${api}/submit`,
  visit,
  save,
  base: { funnel_version_id: config.versionId, page_url: location.href },
  onWait: (ms) =>
    say(`This takes longer than usual. Trying again in ${Math.ceil(ms / 1_000)} s. Nothing you typed is lost.`),
});
const tracker = createTracker({ url: `${api}/analytics`, events: visit.events, save, describe: describePage });

function describePage() {
  const campaign = new URLSearchParams(location.search);
  const utm = ['Source', 'Medium', 'Campaign', 'Term', 'Content']
    .map((part) => [`utm${part}`, campaign.get(`utm_${part.toLowerCase()}`)])
    .filter(([, value]) => value);
  return {
    sessionId: visit.sessionId,
    funnelId: config.funnelId,
    pageUrl: location.href,
    ...(document.referrer && { referrer: document.referrer }),
    language: navigator.language,
    version: 1,
    ...Object.fromEntries(utm),
  };
}

const place = () => ({ stepId: steps[visit.step].dataset.step, stepIndex: visit.step });

/** Shows a step. Its heading takes the focus, so that a screen reader continues there; not on arrival, where nobody asked for it. */
function show(index, { arriving = false } = {}) {
  visit.step = index;
  save();
  for (const [position, step] of steps.entries()) step.hidden = position !== index;
  for (const [position, item] of [...document.querySelectorAll('[data-progress]')].entries()) {
    if (position === index) item.setAttribute('aria-current', 'step');
    else item.removeAttribute('aria-current');
    item.dataset.state = position < index ? 'past' : '';
  }
  document.body.dataset.step = steps[index].dataset.step;
  element('actions').hidden = index > lastInput;
  element('back').hidden = index === 0;
  element('next').textContent = index === lastInput ? 'Request my offer' : 'Continue';
  element('written-to').textContent = new FormData(form).get('email') ?? '';
  if (index <= lastInput) tracker.track('step_view', place());
  if (arriving) return;
  steps[index].querySelector('h2').focus({ preventScroll: true });
  element('main').scrollIntoView({ block: 'start' });
}

/** A rough yield, computed on the page and sent along: 1 kWp needs about 5.5 m² and gives about 950 kWh a year in Germany. */
function estimate() {
  const area = Number.parseFloat((new FormData(form).get('roof_area') ?? '').replace(',', '.'));
  if (!(area >= 5 && area <= 5_000)) return null;
  const kilowattPeak = Math.round((area * 0.6) / 0.55) / 10;
  return { kilowattPeak, kilowattHoursPerYear: Math.round(kilowattPeak * 95) * 10 };
}

function showEstimate() {
  const sum = estimate();
  element('estimate').hidden = sum === null;
  if (sum === null) return;
  element('estimate').textContent =
    `A roof of this size carries about ${sum.kilowattPeak}\u00a0kWp and gives about ${sum.kilowattHoursPerYear.toLocaleString('en')}\u00a0kWh a year.`;
}

const dataUpTo = (index) =>
  Object.assign({ estimate: estimate() }, ...steps.slice(0, index + 1).map((step) => dataOf(form, step)));
const dataAt = (index) => ({ ...dataOf(form, steps[index]), ...(index === 0 && { estimate: estimate() }) });

function say(words) {
  element('sending').textContent = words;
}

function complain(words) {
  element('problem').textContent = words ?? '';
  element('problem').hidden = words === undefined;
}

function busy(on) {
  for (const id of ['next', 'back']) element(id).disabled = on;
}

function begin() {
  if (visit.started) return;
  visit.started = true;
  tracker.track('start', place());
}

async function submitStep() {
  const index = visit.step;
  const step = steps[index];
  const missing = missingIn(form, step);
  if (missing.length > 0) return refuse(step, missing);
  say('Sending …');
  const { errors, refused } = await lead.submit(step.dataset.step, dataAt(index), dataUpTo(index));
  if (refused) return complain(`We could not take this (${refused}) Please try again.`);
  if (errors) return refuse(step, errors);
  showErrors(step, []);
  tracker.track('step_submit', place());
  if (index === lastInput) tracker.track('complete', place());
  show(index + 1);
  showEstimate();
}

function refuse(step, errors) {
  const elsewhere = showErrors(step, errors);
  if (elsewhere.length > 0) complain(`Please check: ${elsewhere.map(({ field }) => field).join(', ')}.`);
  focusFirstError(step);
}

/** One submit at a time: a double click, or Enter while it is on its way, changes nothing. */
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (element('next').disabled) return;
  begin();
  busy(true);
  complain();
  try {
    await submitStep();
  } catch (error) {
    if (!(error instanceof Unreachable)) reportError(error);
    complain(
      'We can’t reach our server at the moment. Everything you typed is kept on this page; please try again in a minute.',
    );
  } finally {
    busy(false);
    say('');
  }
});

form.addEventListener('input', (event) => {
  begin();
  visit.values = typedIn(form);
  save();
  const field = event.target.closest('[data-field]');
  if (field) markField(field);
});

element('back').addEventListener('click', () => show(visit.step - 1));
element('again').addEventListener('click', () => {
  form.reset();
  restart();
  for (const step of steps) for (const field of fieldsIn(step)) markField(field);
  tracker.track('view', place());
  show(0);
});

restore(form, visit.values);
tracker.track('view', place());
show(visit.step, { arriving: true });
showEstimate();
