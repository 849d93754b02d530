import { DIMENSIONS, nameOf } from './dimensions.js';

/**
 * The active filters, one value per dimension, and the chips that remove them.
 *
 * @param onChange called after a filter was set or removed, but not by `load`
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
    /** Sets the filter to the value, or removes the filter if it already has this value. */
    toggle: change,
    entries: () => [...on],
    /** Loads the filters from a URL's query. */
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
