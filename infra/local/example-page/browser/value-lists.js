import { barRow } from './bars.js';
import { DIMENSIONS, nameOf } from './dimensions.js';

const SHOWN = 5;
const whole = new Intl.NumberFormat('en');

/**
 * Shows the lists of the acquisition response as cards with bars. A value is a button that toggles its filter. Lists
 * without values are hidden.
 */
export function valueLists(place, filters) {
  /** Lists that are expanded. */
  const unfolded = new Set();
  let latest;

  function draw(acquisition) {
    latest = acquisition;
    const focused = document.activeElement?.dataset?.key;
    place.replaceChildren(...DIMENSIONS.flatMap((dimension) => card(dimension, acquisition[dimension.list] ?? [])));
    // Restores the focus, because the focused element was recreated.
    if (focused) place.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  function card(dimension, entries) {
    if (entries.length === 0) return [];
    const section = document.createElement('section');
    section.className = 'panel';
    const title = document.createElement('h3');
    title.textContent = dimension.title;
    const list = document.createElement('ul');
    list.className = 'bars values';
    const shown = unfolded.has(dimension.filter) ? entries : entries.slice(0, SHOWN);
    list.append(...shown.map((entry) => valueRow(dimension, entry, entries[0].total, filters)));
    section.append(title, list);
    if (entries.length > SHOWN) section.append(moreButton(dimension, entries.length));
    return [section];
  }

  function moreButton({ filter }, count) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'more';
    button.dataset.key = `more ${filter}`;
    button.textContent = unfolded.has(filter) ? 'Show fewer' : `Show all ${count}`;
    button.addEventListener('click', () => {
      if (!unfolded.delete(filter)) unfolded.add(filter);
      draw(latest);
    });
    return button;
  }

  return draw;
}

function valueRow({ filter, member }, entry, most, filters) {
  const value = entry[member];
  return barRow({
    label: nameOf(filter, value),
    words: whole.format(entry.total),
    spoken: `${entry.total} sessions`,
    layers: [['sessions', entry.total / most]],
    press: { key: `${filter} ${value}`, pressed: filters.has(filter, value), act: () => filters.toggle(filter, value) },
  });
}
