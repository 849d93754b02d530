import { Assistant } from './assistant.js';
import { estimateFor, estimateInWords } from './estimate.js';
import { dataOf, fieldsIn, focusFirstError, markField, missingIn, restore, showErrors, typedIn } from './fields.js';
import { createLead } from './lead.js';
import { describeVisit } from './page-facts.js';
import { PhotoField } from './photo.js';
import { Unreachable } from './request.js';
import { createTracker } from './tracker.js';
import { Verification } from './verification.js';
import { openVisit } from './visit.js';

const config = JSON.parse(document.getElementById('config').textContent);
const api = `${config.baseUrl}/api/v2/public/funnel/${config.funnelId}`;

const form = document.getElementById('form');
const steps = [...form.querySelectorAll('.step')];
const indexOf = (name) => steps.findIndex(({ dataset }) => dataset.step === name);
const [photoStep, lastInput, confirmStep, doneStep] = ['details', 'contact', 'confirm', 'done'].map(indexOf);
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
const tracker = createTracker({
  url: `${api}/analytics`,
  events: visit.events,
  save,
  describe: () => describeVisit(visit, config),
});

restore(form, visit.values);
const photo = new PhotoField({
  root: element('photo'),
  place: { ...config.upload, url: `${config.baseUrl}/api/v2/public/funnel/upload` },
  visit,
  onChange: () => {
    save();
    followUp();
  },
});
const assistant = new Assistant({ url: `${api}/ai-stream`, root: element('assistant') });
const verification = new Verification({
  url: `${api}/mfa`,
  handle: lead.handle,
  visit,
  save,
  root: steps[confirmStep],
  onDone: afterConfirming,
});
element('mailbox').href = config.mailbox;

const place = () => ({ stepId: steps[visit.step].dataset.step, stepIndex: visit.step });

/** Shows a step. Except on page load, moves the focus to its heading, so that screen readers continue there. */
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
  element('actions').hidden = index === doneStep;
  element('back').hidden = index === 0 || index > lastInput;
  element('later').hidden = index !== confirmStep;
  element('next').textContent = NEXT[steps[index].dataset.step] ?? 'Continue';
  showOutcome();
  if (index < doneStep) tracker.track('step_view', place());
  if (!arriving) {
    steps[index].querySelector('h2').focus({ preventScroll: true });
    element('main').scrollIntoView({ block: 'start' });
  }
  if (index === confirmStep) verification.arrive(contact());
  followUp();
}

const NEXT = { contact: 'Request my offer', confirm: 'Confirm' };
const typed = (name) => new FormData(form).get(name) ?? '';
const contact = () => `${typed('email')} ${typed('phone')}`;

function showOutcome() {
  const { channel, confirmed, impossible } = visit.verification ?? {};
  element('written-to').textContent = typed('email');
  element('confirmed').hidden = !confirmed;
  element('confirmed').textContent =
    channel === 'sms' ? 'Your phone number is confirmed.' : 'Your e-mail address is confirmed.';
  element('unconfirmed').hidden = confirmed || impossible || !visit.verification;
}

function showEstimate() {
  const sum = estimateFor(typed('roof_area'));
  element('estimate').hidden = sum === null;
  element('estimate').textContent = sum === null ? '' : estimateInWords(sum);
}

const dataUpTo = (index) =>
  Object.assign(
    { estimate: estimateFor(typed('roof_area')) },
    ...steps.slice(0, index + 1).map((step) => dataOf(form, step)),
  );
const dataAt = (index) => ({
  ...dataOf(form, steps[index]),
  ...(index === 0 && { estimate: estimateFor(typed('roof_area')) }),
});

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
  const data = dataAt(index);
  const { errors, refused } = await lead.submit(step.dataset.step, data, dataUpTo(index));
  if (refused) return complain(`We could not take this (${refused}) Please try again.`);
  if (errors) return refuse(step, errors);
  if (index === photoStep) visit.photoSent = data.roof_photo;
  showErrors(step, []);
  tracker.track('step_submit', place());
  if (index === lastInput) tracker.track('complete', place());
  show(index + 1);
  showEstimate();
}

function afterConfirming() {
  if (visit.step !== confirmStep) return showOutcome();
  if (visit.verification.confirmed) tracker.track('step_submit', place());
  show(doneStep);
}

function refuse(step, errors) {
  if (errors.some(isAboutPhoto)) photo.refuse();
  const elsewhere = showErrors(step, errors);
  if (elsewhere.length > 0) complain(`Please check: ${elsewhere.map(({ field }) => field).join(', ')}.`);
  focusFirstError(step);
}

const isAboutPhoto = ({ field }) => field === 'roof_photo';

let following = false;

/** Sends a photo whose upload ended after its step was submitted, also after a reload or a lost connection. */
async function followUp() {
  showUpload();
  const uuid = visit.photo?.uuid ?? null;
  if (following || visit.step <= photoStep || uuid === visit.photoSent) return;
  following = true;
  try {
    const { errors, refused } = await lead.submit(undefined, { roof_photo: uuid }, dataUpTo(lastInput));
    visit.photoSent = refused || errors ? null : uuid;
    if (errors?.some(isAboutPhoto)) photo.refuse();
  } catch (error) {
    if (!(error instanceof Unreachable)) reportError(error);
  } finally {
    following = false;
    save();
  }
}

/** In the steps after the photo's step, shows an unfinished or failed upload below the form. */
function showUpload() {
  const { share, words } = photo.state;
  const named = visit.step > photoStep && (share !== undefined || words !== undefined);
  element('upload').hidden = !named;
  element('upload-words').textContent = words
    ? 'Your photo did not arrive.'
    : `Your photo is being uploaded: ${Math.round((share ?? 0) * 100)} %`;
  element('upload-back').hidden = words === undefined;
  element('again').disabled = share !== undefined;
}

/** Allows one submit at a time: ignores a double click, or Enter during a submit. */
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (element('next').disabled) return;
  begin();
  busy(true);
  complain();
  try {
    await (visit.step === confirmStep ? verification.check() : submitStep());
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

const goes = (id, index) => element(id).addEventListener('click', () => show(index()));
goes('back', () => visit.step - 1);
goes('later', () => doneStep);
goes('confirm-now', () => confirmStep);
goes('change', () => lastInput);
goes('upload-back', () => photoStep);
element('again').addEventListener('click', () => {
  form.reset();
  restart();
  photo.reset();
  assistant.reset();
  for (const step of steps) for (const field of fieldsIn(step)) markField(field);
  tracker.track('view', place());
  show(0);
});

addEventListener('online', followUp);
addEventListener('beforeunload', (event) => {
  if (photo.state.share !== undefined) event.preventDefault();
});

tracker.track('view', place());
show(visit.step, { arriving: true });
showEstimate();
form.removeAttribute('data-loading');
