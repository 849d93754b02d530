import { ModelError, type ModelPart } from './language-model.ts';

export type ModelTimeouts = { firstTextMs: number; betweenPartsMs: number; wholeMs: number };

export const MODEL_TIMEOUTS: ModelTimeouts = { firstTextMs: 20_000, betweenPartsMs: 15_000, wholeMs: 60_000 };

/**
 * Yields the model's parts. Cancels the request at the provider on a timeout, when `callerSignal` is aborted, and when
 * the consumer stops.
 *
 * @throws ModelError when the model is too slow; the abort reason of `callerSignal`; errors of the model's parts
 *   unchanged
 */
export async function* withTimeouts(
  begin: (signal: AbortSignal) => AsyncIterable<ModelPart>,
  timeouts: ModelTimeouts,
  callerSignal: AbortSignal,
): AsyncGenerator<ModelPart, void, undefined> {
  const request = new AbortController();
  const abortRequest = () => request.abort(callerSignal.reason);
  const abortAfter = (ms: number, sentence: string) =>
    setTimeout(() => request.abort(new ModelError(sentence, { billable: true })), ms);
  const totalTimer = abortAfter(timeouts.wholeMs, `The model did not finish within ${timeouts.wholeMs} ms.`);
  let idleTimer = abortAfter(timeouts.firstTextMs, `The model returned no text within ${timeouts.firstTextMs} ms.`);
  callerSignal.addEventListener('abort', abortRequest);
  if (callerSignal.aborted) abortRequest();
  const parts = begin(request.signal)[Symbol.asyncIterator]();
  try {
    let begun = false;
    for (;;) {
      if (begun)
        idleTimer = abortAfter(timeouts.betweenPartsMs, `The model sent nothing for ${timeouts.betweenPartsMs} ms.`);
      const next = await unlessAborted(parts.next(), request.signal);
      if (next.done) return;
      begun ||= 'text' in next.value && next.value.text !== '';
      if (begun) clearTimeout(idleTimer);
      yield next.value;
    }
  } finally {
    clearTimeout(totalTimer);
    clearTimeout(idleTimer);
    callerSignal.removeEventListener('abort', abortRequest);
    request.abort();
    // Does not wait for `parts`, which ends by itself after the request to the provider was aborted.
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
