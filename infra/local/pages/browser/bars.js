/** One row of a bar chart: a label, its figures in words, and bars laid over each other, widest first. */
export function barRow({ label, words, spoken, layers }) {
  const row = document.createElement('li');
  row.append(textRow(label, words, spoken), track(layers));
  return row;
}

function textRow(label, words, spoken) {
  const line = document.createElement('div');
  line.className = 'words';
  line.append(span(label));
  const figures = span(words);
  if (spoken) {
    // The figures alone rely on the colour key: who can't see it hears what each of them counts.
    figures.replaceChildren(hidden(words), span(spoken, 'visually-hidden'));
  }
  line.append(figures);
  return line;
}

/** The bars repeat the figures, so they are decoration to a screen reader. */
function track(layers) {
  const bar = document.createElement('div');
  bar.className = 'track';
  bar.setAttribute('aria-hidden', 'true');
  for (const [kind, share] of layers) {
    const fill = document.createElement('div');
    fill.className = `fill ${kind}`;
    fill.style.width = `${(100 * share).toFixed(2)}%`;
    bar.append(fill);
  }
  return bar;
}

function span(text, className = '') {
  const made = document.createElement('span');
  made.textContent = text;
  made.className = className;
  return made;
}

function hidden(text) {
  const made = span(text);
  made.setAttribute('aria-hidden', 'true');
  return made;
}
