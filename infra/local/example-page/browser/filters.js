import { DIMENSIONS, nameOf } from './dimensions.js';

/**
 * The filters that are on, one value for each dimension, and the row of chips that takes them off again.
 *
 * @param onChange called after a filter was put on or taken off by hand
 */
export function filterChips(place, onChange) {
  const on = new Map();

  function change(filter, value) {
    if (value === undefined || on.get(filter) === value) on.delete(filter);
    else on.set(filter, value);
    show();
    onChange();
  }

  function show() {
    place.hidden = on.size === 0;
    place.replaceChildren(...Array.from(on, ([filter, value]) => chip(filter, value, () => change(filter))));
  }

  return {
    has: (filter, value) => on.get(filter) === value,
    /** Puts a filter on; the one that is on already goes off. */
    toggle: change,
    entries: () => [...on],
    /** Takes over what a page's address says. */
    load(query) {
      for (const { filter } of DIMENSIONS) if (query.get(filter)) on.set(filter, query.get(filter));
      show();
    },
  };
}

function chip(filter, value, takeOff) {
  const item = document.createElement('li');
  const button = document.createElement('button');
  const dimension = DIMENSIONS.find((each) => each.filter === filter)?.one ?? filter;
  const words = document.createElement('span');
  words.textContent = `${dimension}: ${nameOf(filter, value)}`;
  const cross = document.createElement('span');
  cross.textContent = '×';
  cross.setAttribute('aria-hidden', 'true');
  button.type = 'button';
  button.setAttribute('aria-label', `Remove the filter ${words.textContent}`);
  button.append(words, cross);
  button.addEventListener('click', takeOff);
  item.append(button);
  return item;
}
