const PERIOD_MS = 1_500;
const part = (id) => document.getElementById(id);
const when = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** Messages by id, oldest first. */
const messages = new Map();
let newestSeconds = 0;
let shown;

/**
 * Requests new messages, and again the messages of the newest known second. Another message may have been sent in that
 * second.
 */
async function refresh() {
  try {
    const response = await fetch(`/store?since=${newestSeconds}`);
    const { messages: recent } = await response.json();
    const added = recent.filter(({ messageId }) => !messages.has(messageId));
    for (const message of added) messages.set(message.messageId, message);
    newestSeconds = Math.max(newestSeconds, ...recent.map(({ at }) => at));
    if (added.length > 0) draw();
    say(messages.size === 1 ? '1 message' : `${messages.size} messages`);
  } catch {
    say('The demo has stopped: start it again to see new messages.');
  }
  part('empty').hidden = messages.size > 0;
  part('main').classList.toggle('is-empty', messages.size === 0);
}

/** Shows the status. If the text is unchanged, does nothing, so that screen readers do not announce the text again. */
function say(words) {
  if (part('status').textContent !== words) part('status').textContent = words;
}

function draw() {
  const newestFirst = [...messages.values()].reverse();
  part('list').replaceChildren(...newestFirst.map(lineOf));
  read();
}

function lineOf(message) {
  const { messageId, channel, to, subject, text, at } = message;
  const link = createElement('a', '', createElement('span', 'to', to.join(', ')), stamp(at, true));
  link.href = `#${messageId}`;
  const first = channel === 'sms' ? [createElement('span', 'tag', 'SMS'), text] : [subject];
  link.append(createElement('span', 'subject', ...first));
  if (channel === 'email') link.append(createElement('span', 'preview', text.replace(/\s+/g, ' ')));
  return createElement('li', '', link);
}

/** Shows the message whose id is the fragment of the URL. */
function read() {
  const message = messages.get(decodeURIComponent(location.hash.slice(1)));
  part('main').classList.toggle('is-reading', message !== undefined);
  for (const link of part('list').querySelectorAll('a')) {
    link.setAttribute('aria-current', String(link.hash === location.hash && message !== undefined));
  }
  const isSame = shown !== undefined && shown === message;
  if (message === undefined || (isSame && message.channel === 'email')) return;
  shown = message;
  part('reader').replaceChildren(back(), ...(message.channel === 'sms' ? conversation(message) : mail(message)));
}

function back() {
  const link = createElement('a', 'back', '← All messages');
  link.href = '#';
  return link;
}

function mail({ messageId, from, to, subject, text, hasHtml, at }) {
  const facts = [
    ['From', from],
    ['To', to.join(', ')],
    ['Sent', when.format(at * 1_000)],
  ];
  const head = [createElement('h2', '', subject), factList(facts)];
  const plain = createElement('pre', '', text);
  if (!hasHtml) return [...head, plain];
  return [
    ...head,
    frame(messageId, subject),
    createElement('details', '', createElement('summary', '', 'Text part'), plain),
  ];
}

/** Shows an e-mail in a frame without scripts. The frame has the same origin, so that the page can read its height. */
function frame(messageId, subject) {
  const view = createElement('iframe', 'mail');
  view.title = subject;
  view.setAttribute('sandbox', 'allow-same-origin');
  view.addEventListener('load', () => {
    const { documentElement } = view.contentDocument ?? {};
    if (documentElement) view.style.height = `${documentElement.scrollHeight + 2}px`;
  });
  view.src = `/messages/${messageId}/html`;
  return view;
}

/** Shows all SMS to the same number, as on a phone. */
function conversation(chosen) {
  const [number] = chosen.to;
  const bubbles = [...messages.values()]
    .filter(({ channel, to }) => channel === 'sms' && to[0] === number)
    .map(({ messageId, text, at }) => {
      const isChosen = messageId === chosen.messageId ? 'is-chosen' : '';
      return createElement('li', isChosen, createElement('p', '', text), stamp(at, false));
    });
  const list = createElement('ol', 'bubbles', ...bubbles);
  return [createElement('h2', '', number), factList([['From', chosen.from]]), list];
}

function factList(facts) {
  const rows = facts.flatMap(([name, value]) => [createElement('dt', '', name), createElement('dd', '', value)]);
  return createElement('dl', 'meta', ...rows);
}

/** The time of a message. The short form is the time of day for messages of today, and the date for older messages. */
function stamp(at, isShort) {
  const ms = at * 1_000;
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  const view = createElement('time', '', isShort ? (isToday ? time : day).format(ms) : when.format(ms));
  view.dateTime = new Date(ms).toISOString();
  return view;
}

function createElement(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

addEventListener('hashchange', () => {
  read();
  if (location.hash.length > 1) part('reader').focus({ preventScroll: true });
});
await refresh();
setInterval(() => document.hidden || refresh(), PERIOD_MS);
