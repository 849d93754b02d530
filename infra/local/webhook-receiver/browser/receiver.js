const PERIOD_MS = 1_500;
const part = (id) => document.getElementById(id);
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const SIGNATURES = { valid: 'signature valid', invalid: 'signature invalid', 'not-verified': 'not verified' };
const responseName = (value) => [...part('response').options].find((option) => option.value === String(value))?.text;

/** The ETag of the state that the page shows. */
let version = '';

/** Requests the state, and shows it if it has changed. */
async function refresh() {
  try {
    const response = await fetch('/deliveries', { headers: { 'If-None-Match': version } });
    if (response.status !== 304) {
      show(await response.json());
      version = response.headers.get('etag');
    }
  } catch {
    version = '';
    setText('status', 'The demo has stopped. Start it again to see new requests.');
  }
}

function show({ deliveries, nextResponse, secrets }) {
  const [newest] = deliveries;
  const count = deliveries.length === 1 ? '1 request' : `${deliveries.length} requests`;
  setText('status', newest ? `${count}. Newest: ${titleOf(newest)}, ${SIGNATURES[newest.signature]}.` : count);
  setText('secrets-state', secrets.length === 0 ? 'No secret is set.' : `Set: ${secrets.join(', ')}`);
  setText('response-state', describeResponse(nextResponse));
  part('empty').hidden = deliveries.length > 0;
  // Keeps the elements of known deliveries, so that the visitor's focus and opened details remain.
  const known = new Map([...part('list').children].map((item) => [item.dataset.key, item]));
  const items = deliveries.map((delivery) => known.get(keyOf(delivery)) ?? itemOf(delivery));
  for (const item of known.values()) if (!items.includes(item)) item.remove();
  items.forEach((item, index) => {
    const current = part('list').children[index] ?? null;
    if (current !== item) part('list').insertBefore(item, current);
  });
}

/** The number alone is not unique, because a restarted receiver counts from 1. */
const keyOf = ({ number, receivedAt }) => `${number} ${receivedAt}`;

const titleOf = ({ type, path }) => type ?? `request to ${path}`;

function describeResponse({ response, retryAfterSeconds, requests }) {
  const retryAfter = response === 429 && retryAfterSeconds !== undefined ? `, Retry-After: ${retryAfterSeconds}` : '';
  const next = requests === 1 ? 'the next request' : `the next ${requests} requests`;
  const scope = requests === undefined ? 'for all requests' : `for ${next}, then 204 No Content`;
  return `Now: ${responseName(response)}${retryAfter}, ${scope}.`;
}

/** Sets a text. If the text is unchanged, does nothing, so that screen readers do not announce the text again. */
function setText(id, words) {
  if (part(id).textContent !== words) part(id).textContent = words;
}

function itemOf(delivery) {
  const { id, attempt, path, receivedAt, signature, response } = delivery;
  const stamp = createElement('time', '', time.format(new Date(receivedAt)));
  stamp.dateTime = receivedAt;
  const name = createElement('span', 'name', titleOf(delivery));
  const tag = createElement('span', `tag is-${signature}`, SIGNATURES[signature]);
  const facts = id === undefined ? ['no webhook-id'] : [id, `attempt ${attempt}`];
  const line = createElement('span', 'facts', [...facts, path, responseName(response)].join(' · '));
  const details = createElement('details', 'panel', createElement('summary', '', name, tag, stamp, line));
  // The content of a request is created when the visitor opens it, because the list can have 200 requests.
  details.addEventListener('toggle', () => details.append(...contentOf(delivery)), { once: true });
  const item = createElement('li', '', details);
  item.dataset.key = keyOf(delivery);
  return item;
}

function contentOf({ receivedAt, verifications, headers, body }) {
  const results = verifications.map(({ secret, isValid, reason }) => [secret, isValid ? 'valid' : reason]);
  const notVerified = createElement('p', '', 'Not verified, because no signing secret was set.');
  const content = [
    createElement('h3', '', 'Signature'),
    results.length === 0 ? notVerified : factList(results),
    createElement('h3', '', 'Body'),
    createElement('pre', '', readable(body)),
    createElement('h3', '', 'Headers'),
    factList(Object.entries(headers)),
    createElement('p', 'hint', `Received ${dateAndTime.format(new Date(receivedAt))}`),
  ];
  return content;
}

/** Indents JSON. Returns `(empty)` for an empty text, and any other text unchanged. */
function readable(body) {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body === '' ? '(empty)' : body;
  }
}

function factList(facts) {
  const rows = facts.flatMap(([name, value]) => [createElement('dt', '', name), createElement('dd', '', value)]);
  return createElement('dl', '', ...rows);
}

function createElement(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** Sends a setting to the receiver. If that fails, shows the error. @returns whether the receiver accepted it */
async function put(path, body, errorId) {
  const headers = { 'Content-Type': 'application/json' };
  const error = await fetch(path, { method: 'PUT', headers, body: JSON.stringify(body) }).then(
    async (response) => (response.ok ? '' : response.text()),
    () => 'The demo has stopped. Start it again.',
  );
  part(errorId).hidden = error === '';
  part(errorId).textContent = error;
  return error === '';
}

part('secrets-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const secrets = part('secrets').value.split(/\s+/).filter(Boolean);
  const isAccepted = await put('/secrets', { secrets }, 'secrets-error');
  part('secrets').toggleAttribute('aria-invalid', !isAccepted);
  if (isAccepted) part('secrets').value = '';
  await refresh();
});

part('response-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const value = part('response').value;
  const body = { response: /^\d+$/.test(value) ? Number(value) : value };
  if (value === '429' && part('retry-after').value !== '') body.retryAfterSeconds = Number(part('retry-after').value);
  if (isForNextOnly()) body.requests = Number(part('requests-count').value);
  await put('/next-response', body, 'response-error');
  await refresh();
});

const isForNextOnly = () => part('response-form').elements.for.value === 'next';

function showFields() {
  part('retry-after-field').hidden = part('response').value !== '429';
  part('requests-field').hidden = !isForNextOnly();
  // The browser must not validate a field that is not shown.
  part('retry-after').disabled = part('retry-after-field').hidden;
  part('requests-count').disabled = part('requests-field').hidden;
}

part('address').textContent = `${location.origin}/hook`;
part('response-form').addEventListener('change', showFields);
showFields();
await refresh();
setInterval(() => document.hidden || refresh(), PERIOD_MS);
