import { ModelError, type ModelPart } from './language-model.ts';

/** Timeouts in milliseconds. */
export type ModelTimeouts = { firstTextMs: number; betweenPartsMs: number; wholeMs: number };

export const MODEL_TIMEOUTS: ModelTimeouts = { firstTextMs: 20_000, betweenPartsMs: 15_000, wholeMs: 60_000 };

/**
 * Yields the model's parts. Cancels the request at the provider on a timeout, when `gone` is aborted, and when the
 * consumer stops.
 *
 * @throws ModelError when the model is too slow; the abort reason of `gone`; errors of the model's parts unchanged
 */
export async function* withTimeouts(
  begin: (signal: AbortSignal) => AsyncIterable<ModelPart>,
  timeouts: ModelTimeouts,
  gone: AbortSignal,
): AsyncGenerator<ModelPart, void, undefined> {
  const calling = new AbortController();
  const leave = () => calling.abort(gone.reason);
  const after = (ms: number, sentence: string) =>
    setTimeout(() => calling.abort(new ModelError(sentence, { billable: true })), ms);
  const whole = after(timeouts.wholeMs, `The model did not finish within ${timeouts.wholeMs} ms.`);
  let waiting = after(timeouts.firstTextMs, `The model returned no text within ${timeouts.firstTextMs} ms.`);
  gone.addEventListener('abort', leave);
  if (gone.aborted) leave();
  const parts = begin(calling.signal)[Symbol.asyncIterator]();
  try {
    let begun = false;
    for (;;) {
      if (begun) waiting = after(timeouts.betweenPartsMs, `The model sent nothing for ${timeouts.betweenPartsMs} ms.`);
      const next = await unlessAborted(parts.next(), calling.signal);
      if (next.done) return;
      begun ||= 'text' in next.value && next.value.text !== '';
      if (begun) clearTimeout(waiting);
      yield next.value;
    }
  } finally {
    clearTimeout(whole);
    clearTimeout(waiting);
    gone.removeEventListener('abort', leave);
    calling.abort();
    // Not awaited, because `parts` ends by itself after the request to the provider was aborted.
    void parts.return?.().catch(() => undefined);
  }
}

function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });
}
