import type { FinishReason, TextDeltaStream } from '../http/text-stream.ts';
import { ModelError, type ModelPart, type Usage } from './language-model.ts';
import { createOutputLimiter, type OutputLimiter } from './token-estimate.ts';

export type UsageMeter = {
  output: OutputLimiter;
  recordUsage(usage: Usage): void;
  recordReasoning(bytes: number): void;
  /** Records that the request failed. If the request returned no text and is not billable, `tokens` returns 0. */
  recordFailure(cause: unknown): void;
  tokens(): number;
};

/** Measures the tokens of a request to a model: the usage that the provider reports, otherwise an upper bound. */
export function createUsageMeter(inputTokens: number, outputTokensMax: number): UsageMeter {
  let reported: Usage | undefined;
  let reasoningBytes = 0;
  let isFree = false;
  const output = createOutputLimiter(outputTokensMax);
  return {
    output,
    recordUsage: (usage) => {
      reported = usage;
    },
    recordReasoning: (bytes) => {
      reasoningBytes += bytes;
    },
    recordFailure: (cause) => {
      isFree ||= output.bytes() === 0 && !(cause instanceof ModelError && cause.billable);
    },
    tokens: () => {
      if (isFree) return 0;
      if (reported !== undefined) return reported.inputTokens + reported.outputTokens;
      return inputTokens + Math.min(outputTokensMax, output.bytes() + reasoningBytes);
    },
  };
}

/**
 * Yields the text up to the output limit and meters the tokens.
 *
 * @throws ModelError when there is no text. Also rethrows the errors of `parts`
 */
export async function* meterText(parts: AsyncIterable<ModelPart>, meter: UsageMeter): TextDeltaStream {
  const { output } = meter;
  let finish: FinishReason = 'stop';
  for await (const part of parts) {
    if ('usage' in part) meter.recordUsage(part.usage);
    else if ('finish' in part) finish = part.finish;
    else if ('reasoningBytes' in part) meter.recordReasoning(part.reasoningBytes);
    else {
      const text = output.push(part.text);
      if (text !== '') yield text;
      if (output.isTruncated()) return 'length';
    }
  }
  const rest = output.flush();
  if (rest !== '') yield rest;
  if (output.bytes() === 0) throw new ModelError('The model returned no text.', { billable: true });
  return finish;
}
