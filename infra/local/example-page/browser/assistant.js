import { retryAfterMsOf } from './request.js';
import { inWords } from './words.js';

const PROMPT_MAX = 4_000;
/** Maximum duration of a stream. The service ends a stream after a minute. */
const TIMEOUT_MS = 70_000;
/** Time after which the live region is cleared. Otherwise, screen readers would find its text a second time. */
const HEARD_MS = 2_000;

const LENGTH = `Please ask in at most ${PROMPT_MAX.toLocaleString('en')} characters.`;
const REFUSED = { 400: LENGTH, 413: LENGTH, 404: 'There is no assistant here at the moment.' };
const UNABLE = 'The assistant can’t answer at the moment. Please try again in a minute.';
const CUT_SHORT = 'The answer was cut short. You can ask again.';
const OFFLINE = 'We can’t reach our server at the moment. Your question is kept; please try again.';

/** Counts as the service does: code points of the trimmed text. */
const lengthOf = (prompt) => [...prompt.trim()].length;

/**
 * Sends a question to the funnel's AI block and shows the streamed text as plain text. Screen readers get the complete
 * text once, instead of every word.
 */
export class Assistant {
  #url;
  #root;
  #asking;

  /**
   * @param url URL of the funnel's ai-stream operation
   * @param root the element of the assistant in funnel.html
   */
  constructor({ url, root }) {
    this.#url = url;
    this.#root = root;
    const question = this.#part('question');
    question.addEventListener('input', () => this.count());
    question.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.#ask();
    });
    this.#part('ask').addEventListener('click', () => this.#ask());
    this.#part('stop').addEventListener('click', () => this.#asking?.abort());
    // The box scrolls, so it must be reachable by keyboard.
    this.#part('answer').tabIndex = 0;
    this.count();
  }

  /** Updates the shown length of the question, for example after the question was restored. */
  count() {
    const length = lengthOf(this.#part('question').value);
    const count = this.#part('count');
    count.textContent = `${length.toLocaleString('en')} / ${PROMPT_MAX.toLocaleString('en')}`;
    count.toggleAttribute('data-over', length > PROMPT_MAX);
  }

  reset() {
    this.#asking?.abort();
    this.#part('answer').textContent = '';
    this.#part('answer').hidden = true;
    this.#say();
    this.count();
  }

  #part(name) {
    return this.#root.querySelector(`[data-ai="${name}"]`);
  }

  async #ask() {
    if (this.#asking) return;
    const prompt = this.#part('question').value.trim();
    if (prompt === '') return this.#refuse('Please write your question first.');
    if (lengthOf(prompt) > PROMPT_MAX) return this.#refuse(LENGTH);
    this.#begin();
    const { signal } = this.#asking;
    const answer = this.#part('answer');
    const problem = await stream({ url: this.#url, prompt, signal, write: (words) => answer.append(words) });
    this.#end(problem ?? (answer.textContent === '' ? UNABLE : undefined));
  }

  #refuse(words) {
    this.#say(words);
    this.#part('question').focus();
  }

  #begin() {
    this.#asking = new AbortController();
    this.#say();
    const answer = this.#part('answer');
    answer.textContent = '';
    answer.hidden = false;
    this.#hear('The answer is being written.');
    this.#swap('ask', 'stop');
  }

  #end(problem) {
    this.#asking = undefined;
    const answer = this.#part('answer');
    answer.hidden = answer.textContent === '';
    this.#swap('stop', 'ask');
    this.#say(problem);
    this.#hear(answer.textContent);
  }

  /** Hides the button `from`, shows the button `to`, and keeps the focus. */
  #swap(from, to) {
    const focused = this.#part(from).matches(':focus');
    this.#part(to).hidden = false;
    if (focused) this.#part(to).focus();
    this.#part(from).hidden = true;
    this.#part('answer').setAttribute('aria-busy', String(to === 'stop'));
  }

  #say(words = '') {
    this.#part('problem').textContent = words;
    this.#part('problem').hidden = words === '';
  }

  #hear(words) {
    const heard = this.#part('heard');
    heard.textContent = words;
    setTimeout(() => {
      if (heard.textContent === words) heard.textContent = '';
    }, HEARD_MS);
  }
}

/** @returns a message about what went wrong; undefined if the text is complete */
async function stream({ url, prompt, signal, write }) {
  let begun = false;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/plain' },
      body: JSON.stringify({ prompt }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (!response.ok) return wordsFor(response);
    begun = true;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) write(value);
    return undefined;
  } catch {
    if (signal.aborted) return 'You stopped the answer.';
    return begun ? CUT_SHORT : OFFLINE;
  }
}

function wordsFor({ status, headers }) {
  if (status !== 429) return REFUSED[status] ?? UNABLE;
  const waitMs = retryAfterMsOf(headers.get('Retry-After'));
  return `Many questions are being asked at the moment. Please try again ${inWords(waitMs)}.`;
}
