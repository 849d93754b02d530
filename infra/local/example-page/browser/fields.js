/** The form's fields: input, values to send, and error messages. A field is an element with `data-field`. */

const textOf = (value) => (value.trim() === '' ? null : value);

/** Converts the fields that are not sent as text. `null` clears a value that an earlier submit has set. */
const SENT_AS = {
  interests: (values) => values.getAll('interests'),
  owner: (values) => values.has('owner'),
  consent: (values) => (values.has('consent') ? true : null),
  address: (values) => {
    const parts = ['street', 'postalCode', 'city'].map((part) => [part, textOf(values.get(`address.${part}`) ?? '')]);
    const given = parts.filter(([, value]) => value !== null);
    return given.length > 0 ? Object.fromEntries(given) : null;
  },
};

const REQUIRED = {
  building: 'Please choose one.',
  interests: 'Please choose at least one.',
  residents: 'Please say how many people live there.',
  name: 'Please tell us your name.',
  email: 'We need an e-mail address to send the offer to.',
  consent: 'Without your consent we may not prepare an offer.',
};

const REFUSED = {
  roof_area: 'Please give the area as a number, for example 85.',
  residents: 'Please give a whole number between 1 and 20.',
  start_date: 'Please give a date.',
  plan_url: 'Please give a full web address, starting with https://.',
  email: 'This does not look like an e-mail address.',
  phone: 'This does not look like a phone number. Example: 030 901820, or +49 30 901820.',
};

export const fieldsIn = (step) => [...step.querySelectorAll('[data-field]')];

/** Returns the step's values in the format of the service. */
export function dataOf(form, step) {
  const values = new FormData(form);
  return Object.fromEntries(
    fieldsIn(step).map(({ dataset: { field } }) => [
      field,
      SENT_AS[field]?.(values) ?? textOf(values.get(field) ?? ''),
    ]),
  );
}

/** Returns errors for empty required fields, in the format of the service. If there are errors, nothing is sent. */
export function missingIn(form, step) {
  const data = dataOf(form, step);
  const empty = (value) => value === null || (Array.isArray(value) && value.length === 0);
  return fieldsIn(step)
    .filter(({ dataset }) => 'required' in dataset && empty(data[dataset.field]))
    .map(({ dataset }) => ({ field: dataset.field, code: 'required' }));
}

/** Returns the visitor's input by control, to restore it after a reload. */
export const typedIn = (form) =>
  Object.fromEntries([...new Set(new FormData(form).keys())].map((name) => [name, new FormData(form).getAll(name)]));

export function restore(form, typed) {
  for (const control of form.elements) {
    const values = typed[control.name];
    if (values === undefined) continue;
    if (control.type === 'radio' || control.type === 'checkbox') control.checked = values.includes(control.value);
    else control.value = values[0];
  }
}

/** Shows the errors at their fields and removes earlier errors. @returns the errors of fields outside this step */
export function showErrors(step, errors) {
  for (const field of fieldsIn(step)) {
    const error = errors.find((candidate) => candidate.field.split('.')[0] === field.dataset.field);
    markField(field, error && wordsFor(error));
  }
  const shown = new Set(fieldsIn(step).map(({ dataset }) => dataset.field));
  return errors.filter((error) => !shown.has(error.field.split('.')[0]));
}

export function markField(field, words) {
  const place = field.querySelector('.error');
  // The photo field shows its own errors.
  if (!place) return;
  place.textContent = words ?? '';
  place.hidden = words === undefined;
  for (const control of field.querySelectorAll('input, textarea')) {
    if (words === undefined) control.removeAttribute('aria-invalid');
    else control.setAttribute('aria-invalid', 'true');
  }
}

export function focusFirstError(step) {
  step.querySelector('[aria-invalid="true"]')?.focus();
}

function wordsFor({ field, code, message }) {
  const own = code === 'required' ? REQUIRED[field] : REFUSED[field];
  return own ?? message ?? 'Please check this.';
}
