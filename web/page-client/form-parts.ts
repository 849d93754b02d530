import type * as AssistantModule from './assistant.d.mts';
import { CODE_DIGITS } from './code-input.ts';
import type { FormOptions, FormTexts } from './form.d.mts';
import type { clearErrors, showError } from './form-fields.ts';
import type { Funnel } from './funnel.d.mts';
import { importModule } from './import-module.ts';
import type * as UploadModule from './upload.d.mts';
import type * as VerificationModule from './verification.d.mts';

/** What the form binding passes to this module. It passes functions, so that this bundle needs no copies of them. */
export type PartsContext = {
  funnel: Funnel;
  texts: Partial<FormTexts>;
  options: FormOptions;
  createStatus(parent: Element): (text?: string) => void;
  showError: typeof showError;
  clearErrors: typeof clearErrors;
  /** Called when the visitor has verified a code or skipped the verification, or when there is nothing to verify. */
  onVerified(): void;
};

export type Parts = {
  /**
   * Waits for the uploads of a step. If an upload has failed before and its file is still chosen, starts it again.
   *
   * @returns whether all chosen files are uploaded
   */
  upload(form: Element): Promise<boolean>;
  /**
   * - If a code was verified after the last submit, ends the verification.
   * - If this page has made no submit, sends no code.
   * - If a code was sent after the last submit and is still valid, sends no code.
   * - Otherwise, sends a code.
   *
   * @param submits number of submits of this page
   */
  verify(submits: number): Promise<void>;
};

const FILES = '[data-block]';

const TEXTS: Partial<FormTexts> = {
  uploading: 'The file is being uploaded.',
  uploaded: 'The file is uploaded.',
  uploadCancel: 'Cancel',
  uploadRemove: 'Remove file',
  uploadTooLarge: 'This file is too large.',
  uploadWrongType: 'Files of this type are not accepted.',
  uploadWait: 'Too many files were uploaded. Please try again in {time}.',
  uploadUnreachable: 'The connection was lost. Please try again.',
  uploadFailed: 'This file could not be uploaded. Please choose another one.',
  codeIncomplete: 'Please enter all six digits of the code.',
  codeIncorrect: 'This is not the code that was sent. Please look at the newest message.',
  codeExpired: 'This code has expired. Please request a new one.',
  codeWait: 'Please try again in {time}. A code may be on its way already.',
  codeUnreachable: 'There is no connection. Please try again.',
  codeFailed: 'The code could not be sent or checked. Please try again.',
  answerWriting: 'The answer is being written.',
  answerStopped: 'The answer was stopped.',
  answerCutOff: 'The answer is not complete. You can ask again.',
  answerWait: 'Too many questions were asked. Please try again in {time}.',
  answerUnreachable: 'There is no connection. Please try again.',
  answerFailed: 'There is no answer at the moment. Please try again later.',
};

const UPLOAD_TEXTS: Record<string, keyof FormTexts> = {
  payload_too_large: 'uploadTooLarge',
  unsupported_media_type: 'uploadWrongType',
  rate_limited: 'uploadWait',
  unreachable: 'uploadUnreachable',
};
type Outcome = VerificationModule.SendOutcome | VerificationModule.CheckOutcome | { status: 'incomplete' };
type Failure = Exclude<Outcome, { status: 'sent' | 'verified' | 'unavailable' }>;
const CODE_TEXTS: Record<Failure['status'], keyof FormTexts> = {
  incomplete: 'codeIncomplete',
  incorrect: 'codeIncorrect',
  expired: 'codeExpired',
  waiting: 'codeWait',
  unreachable: 'codeUnreachable',
  failed: 'codeFailed',
};
const ANSWER_TEXTS: Record<string, keyof FormTexts> = {
  'cut-off': 'answerCutOff',
  aborted: 'answerStopped',
  waiting: 'answerWait',
  rejected: 'answerFailed',
  unreachable: 'answerUnreachable',
};

/** Binds the file inputs, the verification and the assistants of the page. */
export function bindParts(context: PartsContext): Parts {
  const all = { ...context, texts: { ...TEXTS, ...context.texts } };
  const find = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const uploads = find(FILES).map((input) => ({ input, upload: bindUpload(input as HTMLInputElement, all) }));
  // If a file is dropped outside of its field, the browser would leave the page and show the file.
  for (const type of uploads.length > 0 ? ['dragover', 'drop'] : [])
    addEventListener(type, (event) => {
      const isFile = (event as DragEvent).dataTransfer?.types.includes('Files');
      if (isFile && !(event.target as Element).matches('[type=file]')) event.preventDefault();
    });
  for (const section of find('[data-funnel-assistant]')) bindAssistant(section, all);
  const [section] = find('[data-funnel-verification]');
  return {
    async upload(form) {
      const results = uploads.filter(({ input }) => form.contains(input)).map(({ upload }) => upload());
      return (await Promise.all(results)).every(Boolean);
    },
    verify: section ? bindVerification(section, all) : async () => undefined,
  };
}

/**
 * @returns a function that waits for the upload, or starts it again if it failed before. The function resolves with
 *   false if the upload fails or is cancelled.
 */
function bindUpload(input: HTMLInputElement, context: PartsContext): () => Promise<boolean> {
  const { funnel, texts, options, createStatus, showError } = context;
  const uploadModule = load<typeof UploadModule>('upload');
  const form = input.form ?? document.body;
  const box = document.createElement('div');
  const progress = document.createElement('progress');
  const button = document.createElement('button');
  box.dataset.funnelUpload = '';
  progress.ariaLabel = texts.uploading ?? '';
  button.type = 'button';
  const setStatus = createStatus(box);
  box.append(progress, button);
  (input.closest('label') ?? input).after(box);
  let current: { signal: AbortSignal; result: Promise<boolean>; abort(): void } | undefined;

  function render(state: 'none' | 'uploading' | 'uploaded'): void {
    progress.value = 0;
    progress.hidden = state !== 'uploading';
    button.hidden = state === 'none';
    button.textContent = (state === 'uploading' ? texts.uploadCancel : texts.uploadRemove) ?? '';
    setStatus(state === 'none' ? '' : texts[state]);
  }

  async function upload(file: File, signal: AbortSignal): Promise<boolean> {
    render('uploading');
    try {
      const { uploadFile } = await uploadModule;
      const { uuid } = await uploadFile(funnel, file, {
        organizationId: input.dataset.organization ?? options.organizationId ?? '',
        blockId: input.dataset.block ?? '',
        signal,
        onProgress: (share) => {
          progress.value = share;
        },
      });
      signal.throwIfAborted();
      input.dataset.funnelFile = uuid;
      render('uploaded');
      return true;
    } catch (error) {
      // The function that aborted this upload has already updated the field.
      if (signal.aborted) return false;
      const { code = '', retryAfterMs } = error as Partial<UploadModule.UploadError>;
      current = undefined;
      render('none');
      const message = fillTime(texts[UPLOAD_TEXTS[code] ?? 'uploadFailed'], retryAfterMs);
      // A file that may be accepted later stays chosen, so that the next submit uploads it.
      if (code === 'rate_limited' || code === 'unreachable') setStatus(message);
      else {
        input.value = '';
        showError(form, { field: input.name, code: '', message }, {});
      }
      return false;
    }
  }

  async function start(): Promise<boolean> {
    const [file] = input.files ?? [];
    if (!file) return true;
    if (!current) {
      const controller = new AbortController();
      const { signal } = controller;
      current = { signal, result: upload(file, signal), abort: () => controller.abort() };
    }
    return current.result;
  }

  function restart(): void {
    current?.abort();
    current = undefined;
    delete input.dataset.funnelFile;
    render('none');
    void start();
  }

  function remove(): void {
    input.value = '';
    restart();
  }

  input.addEventListener('change', restart);
  button.addEventListener('click', () => {
    remove();
    input.focus();
  });
  // Removes a file that the service refused when the step was submitted.
  new MutationObserver(() => {
    if (input.ariaInvalid && input.dataset.funnelFile) remove();
  }).observe(input, { attributeFilter: ['aria-invalid'] });
  restart();
  return start;
}

function bindVerification(section: HTMLElement, context: PartsContext): Parts['verify'] {
  const { funnel, texts, createStatus, showError, clearErrors, onVerified } = context;
  const all = <E extends HTMLElement>(name: string) => [...section.querySelectorAll<E>(`[data-funnel-${name}]`)];
  const input = all<HTMLInputElement>('code')[0];
  const [resend] = all('resend');
  const resendLabel = resend?.textContent ?? '';
  const setStatus = createStatus(section);
  const started = load<typeof VerificationModule>('verification').then(({ createVerification, bindCodeInput }) => {
    if (input) bindCodeInput(input, check);
    return createVerification(funnel, { onChange: render });
  });
  if (input) input.name ||= 'code';
  /** Number of submits of this page. */
  let submits = 0;
  /** The value of `submits` when the last successful `send` began. */
  let submitsAtSend = 0;
  /** The value of `submits` when the successful `check` began. */
  let submitsAtCheck: number | undefined;

  function render({ sent, isSending, resendSeconds }: VerificationModule.VerificationState): void {
    for (const element of all('sent')) element.hidden = !sent;
    for (const element of all('destination')) element.textContent = sent?.maskedDestination ?? '';
    for (const element of all('channel')) {
      const channel = element.dataset.funnelChannel as VerificationModule.Channel;
      element.hidden = channel === sent?.channel || !sent?.availableChannels.includes(channel);
    }
    if (!resend) return;
    // `disabled` would take the focus away.
    resend.ariaDisabled = `${isSending || resendSeconds > 0}`;
    resend.textContent = resendSeconds > 0 ? `${resendLabel} (${resendSeconds} s)` : resendLabel;
  }

  async function send(channel?: VerificationModule.Channel): Promise<void> {
    clearErrors(section);
    setStatus(texts.sending);
    const requested = submits;
    const verification = await started;
    const outcome = await verification.send(channel);
    setStatus();
    if (outcome.status !== 'sent') return showFailure(outcome);
    submitsAtSend = requested;
    if (input) input.value = '';
    focusInput();
  }

  async function check(code: string): Promise<void> {
    clearErrors(section);
    if (code.length !== CODE_DIGITS) return showFailure({ status: 'incomplete' });
    const checked = submits;
    setStatus(texts.sending);
    const verification = await started;
    const outcome = await verification.check(code);
    setStatus();
    if (outcome.status !== 'verified') return showFailure(outcome);
    submitsAtCheck = checked;
    // If the visitor has gone back meanwhile to change an answer, the visitor stays at that step.
    if (!section.hidden && submits === checked) endVerified();
  }

  function endVerified(): void {
    for (const element of document.querySelectorAll<HTMLElement>('[data-funnel-verified]')) element.hidden = false;
    onVerified();
  }

  function showFailure(outcome: Failure | { status: 'unavailable' }): void {
    // Shows nothing if the visitor has gone back or skipped the verification meanwhile.
    if (section.hidden) return;
    if (outcome.status === 'unavailable') {
      onVerified();
      return;
    }
    const waitMs = outcome.status === 'waiting' ? outcome.retryAtMs - Date.now() : 0;
    const message = fillTime(texts[CODE_TEXTS[outcome.status]], waitMs);
    if (['incomplete', 'incorrect', 'expired'].includes(outcome.status)) {
      showError(section, { field: input?.name ?? '', code: '', message }, {});
      input?.focus();
      input?.select();
    } else setStatus(message);
  }

  /** Does nothing if the visitor has already chosen another control. */
  function focusInput(): void {
    if (!document.activeElement?.matches('input, button')) input?.focus();
  }

  section.addEventListener('submit', (event) => {
    event.preventDefault();
    void check(input?.value ?? '');
  });
  section.addEventListener('input', () => clearErrors(section));
  resend?.addEventListener('click', () => {
    if (resend.ariaDisabled !== 'true') void send();
  });
  for (const button of all('channel'))
    button.addEventListener('click', () => void send(button.dataset.funnelChannel as VerificationModule.Channel));
  for (const button of all('skip')) button.addEventListener('click', onVerified);

  return async (count) => {
    submits = count;
    if (count === submitsAtCheck) return endVerified();
    const state = await (await started).state();
    render(state);
    // On a later visit (`count` is 0), no code is sent before the visitor asks for one.
    if (count !== submitsAtSend || (count > 0 && !state.sent)) await send();
    else if (state.sent) focusInput();
  };
}

function bindAssistant(section: HTMLElement, { funnel, texts, createStatus }: PartsContext): void {
  const find = <E extends HTMLElement>(name: string) => section.querySelector<E>(`[data-funnel-${name}]`);
  const question = find<HTMLTextAreaElement>('question');
  const [ask, stop, answer] = [find('ask'), find('stop'), find('answer')];
  if (!question || !ask || !answer) return;
  const setStatus = createStatus(section);
  let assistant: typeof AssistantModule | undefined;
  void load<typeof AssistantModule>('assistant').then((module) => {
    assistant = module;
  });
  let controller: AbortController | undefined;
  // Screen readers read the whole text when it is complete, instead of every word.
  answer.ariaLive = 'polite';
  // The element can scroll, so it must be reachable by keyboard.
  answer.tabIndex = 0;

  function render(isWriting: boolean): void {
    const isFocused = section.contains(document.activeElement) && document.activeElement !== question;
    if (answer) {
      answer.ariaBusy = `${isWriting}`;
      answer.hidden = !isWriting && answer.textContent === '';
    }
    for (const [button, isShown] of [
      [ask, !isWriting],
      [stop, isWriting],
    ] as const) {
      if (button) button.hidden = !isShown;
      if (isShown && isFocused) button?.focus();
    }
  }

  async function reply(): Promise<void> {
    const prompt = question?.value.trim() ?? '';
    if (controller) return;
    if (prompt === '') {
      question?.focus();
      return;
    }
    if (!assistant) {
      setStatus(texts.answerUnreachable);
      return;
    }
    controller = new AbortController();
    const { signal } = controller;
    answer?.replaceChildren();
    setStatus(texts.answerWriting);
    render(true);
    const outcome = await assistant.streamReply(funnel, { prompt, signal, onText: (text) => answer?.append(text) });
    controller = undefined;
    render(false);
    const name = outcome.status === 'rejected' && outcome.retryAfterMs > 0 ? 'waiting' : outcome.status;
    setStatus(
      fillTime(texts[ANSWER_TEXTS[name] as keyof FormTexts], outcome.status === 'rejected' ? outcome.retryAfterMs : 0),
    );
  }

  ask.addEventListener('click', reply);
  stop?.addEventListener('click', () => controller?.abort());
  question.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void reply();
  });
  render(false);
}

const load = <Module>(name: string): Promise<Module> => importModule(`./${name}.mjs`);

/** Fills in a duration, rounded up, with the symbol of its unit (s, min, h), which needs no translation. */
function fillTime(text = '', ms = 0): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  const minutes = Math.ceil(seconds / 60);
  const time = seconds < 90 ? `${seconds} s` : minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
  return text.replace('{time}', time);
}
