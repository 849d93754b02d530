import { photoView } from './photo-view.js';
import { Unreachable } from './request.js';
import { Refused, uploadFile } from './upload.js';
import { inWords } from './words.js';

const BYTES_MAX = 25 * 1024 * 1024;

const REFUSED = {
  400: 'This file seems to be damaged. Please choose another one.',
  404: 'We can’t take photos at the moment. You can go on without one.',
  413: 'This file is too large: up to 25 MB are possible.',
  415: 'This kind of file is not possible here. Please choose a photo (JPEG, PNG, WebP, HEIC) or a PDF.',
};
const NOT_STORED = { words: 'This photo could not be stored. Please try again.', again: true };

/**
 * The photo field. A photo that is chosen, dropped or taken is uploaded immediately. The file's uuid is the value of a
 * hidden control, so that it is sent and restored like other input. A photo stays until its replacement is uploaded.
 */
export class PhotoField {
  #root;
  #place;
  #visit;
  #onChange;
  #view;
  /** The current upload. There is at most one. */
  #sending;
  /** The file whose upload failed: {file, words, again}. */
  #failed;
  /** The uploaded file or, after a reload, its record. */
  #kept;

  /**
   * @param root the element of the field in funnel.html
   * @param place the target of uploads: {url, blockId, organizationId}
   * @param visit `visit.photo` stores the uploaded file's record
   * @param onChange called when the file changes, and during an upload
   */
  constructor({ root, place, visit, onChange }) {
    this.#root = root;
    this.#place = place;
    this.#visit = visit;
    this.#onChange = onChange;
    this.#view = photoView(root);
    listen(root, {
      take: (file) => this.#take(file),
      again: () => this.#take(this.#failed.file),
      cancel: () => this.#cancel(),
      remove: () => this.#remove(),
    });
    this.#keep(visit.photo);
    this.#draw();
  }

  /** {share, words}: the progress of the current upload, 0 to 1, and why the last upload failed. */
  get state() {
    return { share: this.#sending?.share, words: this.#failed?.words };
  }

  /** Removes a file that the service rejected for the lead. The visitor can choose another file or continue. */
  refuse() {
    const file = this.#kept;
    this.#keep(null);
    this.#end({ file, words: 'We could not keep this photo. Please choose it again.', again: file instanceof File });
    this.#show();
  }

  reset() {
    this.#keep(null);
    this.#end();
    this.#show();
  }

  async #take(file) {
    const fault = faultOf(file);
    this.#end(fault && { file, words: fault });
    if (fault) return this.#show();
    const mine = { file, share: 0, abort: new AbortController() };
    this.#sending = mine;
    this.#show(`${file.name} is being uploaded.`);
    const failure = await this.#upload(mine).catch(failureOf);
    // The code that aborted this upload has already updated the field.
    if (this.#sending !== mine) return;
    this.#end(failure && { file, ...failure });
    this.#show(failure ? '' : `${file.name} is uploaded.`);
  }

  async #upload(mine) {
    const onProgress = (share) => {
      mine.share = share;
      if (this.#sending === mine) this.#show();
    };
    const record = await uploadFile(mine.file, this.#place, { signal: mine.abort.signal, onProgress });
    if (this.#sending === mine) this.#keep({ ...record, name: mine.file.name }, mine.file);
  }

  #cancel() {
    this.#end();
    this.#show('Cancelled.');
    focusChoice(this.#root);
  }

  #remove() {
    this.#keep(null);
    this.#show('The photo is removed.');
    focusChoice(this.#root);
  }

  #keep(record, file = record) {
    this.#kept = file;
    this.#visit.photo = record;
    this.#root.querySelector('input[type="hidden"]').value = record?.uuid ?? '';
  }

  #end(failed) {
    this.#sending?.abort.abort();
    this.#sending = undefined;
    this.#failed = failed;
  }

  /** @param words text that screen readers announce; undefined for progress, which is not announced */
  #show(words) {
    this.#draw();
    if (words !== undefined) this.#root.querySelector('[data-photo="status"]').textContent = words;
    this.#onChange();
  }

  #draw() {
    const sending = this.#sending && { file: this.#sending.file, share: this.#sending.share };
    this.#view({ file: this.#kept, ...this.#failed, ...sending });
  }
}

/** Returns why a file cannot be sent; undefined if it can be sent. */
function faultOf({ size }) {
  if (size === 0) return 'This file is empty. Please choose another one.';
  return size > BYTES_MAX ? REFUSED[413] : undefined;
}

/** Returns a message about the failure, and whether a retry with the same file may succeed. */
function failureOf(error) {
  if (error instanceof Unreachable) {
    return { words: 'The connection broke off. Your photo is still chosen; please try again.', again: true };
  }
  if (!(error instanceof Refused)) {
    if (error.name !== 'AbortError') reportError(error);
    return NOT_STORED;
  }
  if (error.status !== 429) return REFUSED[error.status] ? { words: REFUSED[error.status] } : NOT_STORED;
  return {
    words: `There are too many photos at the moment. Please try again ${inWords(error.retryAfterMs)}.`,
    again: true,
  };
}

/** Moves the focus to the file input, because the focused element was removed. */
function focusChoice(root) {
  [...root.querySelectorAll('input[type="file"]')].find((input) => input.checkVisibility())?.focus();
}

function listen(root, { take, again, cancel, remove }) {
  for (const input of root.querySelectorAll('input[type="file"]')) {
    input.addEventListener('change', () => {
      const [file] = input.files;
      // Allows the visitor to choose the same file again after a failure.
      input.value = '';
      if (file) take(file);
    });
  }
  const on = (part, action) => root.querySelector(`[data-photo="${part}"]`).addEventListener('click', action);
  on('again', again);
  on('cancel', cancel);
  on('remove', remove);
  listenForDrops(root, take);
}

function listenForDrops(root, take) {
  const over = (on) => root.toggleAttribute('data-over', on);
  // A file that is dropped outside the field would make the browser leave the page. Text can still be dragged.
  for (const kind of ['dragover', 'drop']) {
    addEventListener(kind, (event) => carriesFile(event) && event.preventDefault());
  }
  root.addEventListener('dragover', (event) => over(carriesFile(event)));
  root.addEventListener('dragleave', ({ relatedTarget }) => root.contains(relatedTarget) || over(false));
  root.addEventListener('drop', (event) => {
    over(false);
    const [file] = event.dataTransfer.files;
    if (file) take(file);
  });
}

const carriesFile = ({ dataTransfer }) => dataTransfer.types.includes('Files');
