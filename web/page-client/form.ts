import type { bindForms as BindForms, FormTexts } from './form.d.mts';
import { clearErrors, findErrors, readFields, showError, showErrors } from './form-fields.ts';
import type { Parts } from './form-parts.ts';
import { importModule } from './import-module.ts';

const TEXTS: Partial<FormTexts> = {
  sending: 'Sending …',
  waiting: 'No connection. Your answers are kept and sent when it returns.',
  rejected: 'Your answers could not be accepted.',
};
const FILES = '[data-block]';
const STATUS = '[data-funnel-status]';
/** If a response takes longer, visitors read that there is no connection. Most responses arrive in time. */
const WAITING_MS = 3_000;

export const bindForms: typeof BindForms = async (funnel, options = {}) => {
  const panels = [
    ...document.querySelectorAll<HTMLElement>('[data-funnel-step],[data-funnel-verification],[data-funnel-done]'),
  ];
  const forms = panels.filter(({ dataset }) => 'funnelStep' in dataset) as HTMLFormElement[];
  // A form with a status is already bound.
  if (!forms[0] || forms[0].querySelector(STATUS)) return;
  const verification = panels.find(({ dataset }) => 'funnelVerification' in dataset);
  const texts = {
    ...TEXTS,
    ...readTexts(),
    ...options.texts,
  };
  /** Index of the panel that is shown first. An earlier page has submitted the steps before this panel. */
  let resumedAt = 0;
  let isSending = false;
  let isStarted = false;
  /** Number of this page's submits whose outcome is known. */
  let submits = 0;

  const parts =
    verification || document.querySelector(`${FILES},[data-funnel-assistant]`)
      ? importModule('./form-parts.mjs').then(
          ({ bindParts }): Parts =>
            bindParts({
              funnel,
              texts,
              options,
              createStatus,
              showError,
              clearErrors,
              onVerified: () => {
                funnel.startNewLead();
                show(forms.length + 1);
              },
            }),
        )
      : undefined;

  function show(index: number, isArrival = false): void {
    const panel = panels[index];
    for (const other of panels) other.hidden = other !== panel;
    const stepId = panel?.dataset.funnelStep;
    if (stepId) funnel.step(stepId, index);
    else if (verification && panel === verification) void parts?.then(({ verify }) => verify(submits));
    // Clears all values at the end, because other people may use the device after the visitor.
    else for (const form of forms) form.reset();
    const heading = panel?.querySelector<HTMLElement>('h1,h2,h3,legend') ?? panel;
    if (heading && !isArrival) {
      heading.tabIndex = -1;
      heading.focus();
    }
  }

  /** Shows the text `sending` during the work. If the work takes longer than `WAITING_MS`, shows the text `waiting`. */
  async function whileSending<T>(setStatus: (text?: string) => void, work: T): Promise<Awaited<T>> {
    setStatus(texts.sending);
    const timer = setTimeout(setStatus, WAITING_MS, texts.waiting);
    const result = await work;
    clearTimeout(timer);
    setStatus(texts.sending);
    return result;
  }

  const arrival = funnel.lead().then((lead) => {
    resumedAt = forms.findIndex((form) => form.dataset.funnelStep === lead?.step) + 1;
    if (resumedAt === forms.length && !verification) funnel.complete();
    show(resumedAt, true);
  });

  /** The saved values of each step, as JSON. */
  const saved: string[] = [];

  /**
   * Submits a step. If the visitor changes values meanwhile, submits the step again.
   *
   * @returns undefined after success. Otherwise, a text that says why the visitor stays at the step. The text is empty
   * if the fields show the reason
   */
  async function submit(
    form: HTMLFormElement,
    index: number,
    setStatus: (text?: string) => void,
  ): Promise<string | undefined> {
    for (;;) {
      const errors = findErrors(form);
      if (errors.length > 0) return showErrors(form, errors, texts);
      clearErrors(form);
      // Waits for the parts only if a file is chosen, because loading their module may fail.
      const hasFile = [...form.querySelectorAll<HTMLInputElement>(FILES)].some(({ files }) => files?.length);
      if (hasFile && !(await (await whileSending(setStatus, parts))?.upload(form))) return '';
      const data = readFields(form, index < resumedAt);
      const json = JSON.stringify(data);
      if (json === saved[index]) return undefined;
      const submitted = funnel.submit({ data, step: form.dataset.funnelStep, version: options.version });
      const outcome = await whileSending(setStatus, submitted);
      submits += 1;
      if (outcome.status === 'invalid') return showErrors(form, outcome.errors, texts);
      if (outcome.status !== 'saved') return texts.rejected;
      // The next iteration submits what the visitor has changed meanwhile.
      saved[index] = json;
    }
  }

  forms.forEach((form, index) => {
    // Turns off the browser's own messages: they disappear after seconds, and assistive technologies cannot read them
    // again.
    form.noValidate = true;
    const setStatus = createStatus(form);
    const event = { stepId: form.dataset.funnelStep, stepIndex: index };
    form.addEventListener('input', ({ target }) => {
      clearErrors(form, (target as HTMLInputElement).name);
      // `arrival` tracks `step_view`, which must precede `start`.
      if (!isStarted) void arrival.then(() => funnel.track('start', event));
      isStarted = true;
    });
    form.addEventListener('submit', async (submitted) => {
      submitted.preventDefault();
      if (isSending) return;
      isSending = true;
      const text = await submit(form, index, setStatus).finally(() => {
        isSending = false;
      });
      setStatus(text);
      if (text !== undefined) return;
      funnel.track('step_submit', event);
      if (index === forms.length - 1) {
        // If a verification follows, the lead is still needed after a reload. `onVerified` starts the new lead later.
        if (verification) funnel.track('complete');
        else funnel.complete();
      }
      show(index + 1);
    });
  });
  panels.forEach((panel, index) => {
    panel.addEventListener('click', ({ target }) => {
      if (index > 0 && !isSending && (target as Element).closest('[data-funnel-back]')) show(index - 1);
    });
  });

  await arrival;
};

/** Reads the page's texts. If they are missing or not JSON, the default texts remain. */
function readTexts(): Partial<FormTexts> | undefined {
  try {
    return JSON.parse(document.querySelector('[data-funnel-texts]')?.textContent || '{}');
  } catch (cause) {
    reportError(new Error('Tributary: data-funnel-texts is not JSON', { cause }));
    return undefined;
  }
}

/** Creates a live region. @returns a function that changes its text */
function createStatus(parent: Element): (text?: string) => void {
  const status = document.createElement('p');
  status.dataset.funnelStatus = '';
  status.role = 'status';
  parent.append(status);
  return (text = '') => {
    status.textContent = text;
  };
}
