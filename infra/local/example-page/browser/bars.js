/**
 * Creates a row of a bar chart: a label, its numbers, and overlapping bars, widest first. If `press` is given, the row
 * is a toggle button.
 */
export function barRow({ label, words, spoken, layers, press }) {
  const row = document.createElement('li');
  const parts = [textRow(label, words, spoken), track(layers)];
  row.append(...(press ? [pressable(press, parts)] : parts));
  return row;
}

function pressable({ key, pressed, act }, parts) {
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.key = key;
  button.setAttribute('aria-pressed', String(pressed));
  button.append(...parts);
  button.addEventListener('click', act);
  return button;
}

function textRow(label, words, spoken) {
  const line = document.createElement('span');
  line.className = 'words';
  const name = span(label);
  // The title shows the whole label, because the page truncates long labels.
  name.title = label;
  line.append(name);
  const figures = span(words);
  if (spoken) {
    // The numbers differ only in their colours. Therefore, screen readers get a text with names.
    figures.replaceChildren(hidden(words), span(spoken, 'visually-hidden'));
  }
  line.append(figures);
  return line;
}

/** The bars repeat the numbers, so screen readers skip them. */
function track(layers) {
  const bar = document.createElement('span');
  bar.className = 'track';
  bar.setAttribute('aria-hidden', 'true');
  for (const [kind, share] of layers) {
    const fill = document.createElement('span');
    fill.className = `fill ${kind}`;
    fill.style.width = `${(100 * share).toFixed(2)}%`;
    bar.append(fill);
  }
  return bar;
}

function span(text, className = '') {
  const element = document.createElement('span');
  element.textContent = text;
  element.className = className;
  return element;
}

function hidden(text) {
  const element = span(text);
  element.setAttribute('aria-hidden', 'true');
  return element;
}
