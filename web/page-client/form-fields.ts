import type { FormTexts } from './form.d.mts';
import type { FieldError } from './funnel.d.mts';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const controlsIn = (root: ParentNode): Control[] =>
  [...root.querySelectorAll<Control>('input, select, textarea')].filter(
    (control) => control.name && !control.matches(':disabled, [data-funnel-assistant] *'),
  );

/** Whether a control or an error belongs to a field. `address.city` belongs to `address`. */
const belongsTo = (name: string | undefined, field: string): boolean => `${name}.`.startsWith(`${field}.`);

/**
 * Returns the values of a step as the submit operation expects them. Numbers stay as they are typed, because the
 * service parses them. `null` clears a value.
 *
 * @param omitsEmpty if true, leaves out empty fields; if false, clears their values. True for a step that an earlier
 * page has submitted: its values are saved, but the fields of this page are empty
 */
export function readFields(form: HTMLFormElement, omitsEmpty: boolean): Record<string, unknown> {
  const controls = controlsIn(form) as HTMLInputElement[];
  const values = new FormData(form);
  const data: Record<string, unknown> = {};
  for (const { name, type, checked, dataset } of controls) {
    const isCheckbox = type === 'checkbox';
    let value: unknown = `${values.get(name) ?? ''}`.trim() || null;
    if (type === 'file') value = dataset.funnelFile ?? null;
    else if (isCheckbox && controls.filter((control) => control.name === name).length === 1) value = checked;
    else if (isCheckbox || type === 'select-multiple') value = values.getAll(name);
    const [field = '', part] = name.split('.');
    const isEmpty = !value || `${value}` === '';
    if (omitsEmpty && isEmpty) continue;
    if (!part) data[field] = value;
    else if (isEmpty) data[field] ??= null;
    else data[field] = { ...(data[field] as object), [part]: value };
  }
  return data;
}

/** Returns the errors that the browser itself finds. */
export const findErrors = (root: ParentNode): FieldError[] =>
  controlsIn(root)
    .filter(({ validity }) => !validity.valid)
    .map(({ name, validity, validationMessage }) => ({
      field: name,
      code: codeOf(validity),
      message: validationMessage,
    }));

/** Returns the service's error code for an error that the browser found. */
function codeOf(validity: ValidityState): string {
  if (validity.valueMissing) return 'required';
  if (validity.rangeUnderflow || validity.rangeOverflow) return 'range';
  if (validity.tooShort || validity.tooLong) return 'length';
  // Browsers report a wrong e-mail address or URL as `typeMismatch`. The code of the service is `format`.
  return validity.badInput || validity.stepMismatch ? 'type' : 'format';
}

/**
 * Shows an error at its field.
 *
 * @returns the field's name and the error's text if `root` does not have the field; otherwise an empty text
 */
export function showError(root: Element, { field, code, message }: FieldError, texts: Partial<FormTexts>): string {
  const controls = controlsIn(root).filter(({ name }) => belongsTo(name, field));
  const last = controls.at(-1);
  const ofPage = (attribute: string) => last?.closest(`[${attribute}]`)?.getAttribute(attribute);
  const text = ofPage(`data-error-${code}`) ?? ofPage('data-error') ?? texts[code as keyof FormTexts] ?? message;
  if (!last) return `${field}: ${text} `;
  let element = root.querySelector<HTMLElement>(`[data-funnel-error="${field}"]`);
  if (!element) {
    element = document.createElement('p');
    element.dataset.funnelError = field;
    const group = controls[1] && last.closest('fieldset');
    if (group) group.append(element);
    else (last.closest('label') ?? last).after(element);
  }
  element.id ||= `${root.getAttribute('data-funnel-step') ?? 'funnel'}-${field}-error`;
  element.textContent = text;
  element.hidden = false;
  for (const control of controls) {
    control.ariaInvalid = 'true';
    const ids = control.getAttribute('aria-describedby') ?? '';
    if (!ids.split(' ').includes(element.id)) control.setAttribute('aria-describedby', `${ids} ${element.id}`.trim());
  }
  return '';
}

/**
 * Replaces the earlier errors: shows each error at its field, and moves the focus to the first field with an error in
 * the order of the page.
 *
 * @returns the texts of errors whose fields `root` does not have
 */
export function showErrors(root: Element, errors: readonly FieldError[], texts: Partial<FormTexts>): string {
  clearErrors(root);
  const elsewhere = errors.map((error) => showError(root, error, texts)).join('');
  root.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  return elsewhere;
}

/** Clears all errors. With the `name` of a control, clears only the errors of the field to which it belongs. */
export function clearErrors(root: Element, name?: string): void {
  const isCleared = (one?: string) => name === undefined || belongsTo(one, name.split('.')[0] ?? '');
  for (const control of controlsIn(root)) if (isCleared(control.name)) control.ariaInvalid = null;
  for (const element of root.querySelectorAll<HTMLElement>('[data-funnel-error]'))
    if (isCleared(element.dataset.funnelError)) {
      element.textContent = '';
      element.hidden = true;
    }
}
