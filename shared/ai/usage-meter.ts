import { ModelError, type Usage } from './language-model.ts';
import { createOutputLimiter, type OutputLimiter } from './token-estimate.ts';

export type UsageMeter = {
  /** Holds the answer to its limit. */
  output: OutputLimiter;
  recordUsage(usage: Usage): void;
  recordReasoning(bytes: number): void;
  /** To be told of a failure: one that came before any text, and that the provider did not take up, costs nothing. */
  recordFailure(cause: unknown): void;
  tokens(): number;
};

/** What a call costs: what the provider counted or, where it told nothing, as much as it can have been. */
export function createUsageMeter(inputTokens: number, outputTokensMax: number): UsageMeter {
  let usage: Usage | undefined;
  let hiddenBytes = 0;
  let free = false;
  const output = createOutputLimiter(outputTokensMax);
  return {
    output,
    recordUsage: (counted) => {
      usage = counted;
    },
    recordReasoning: (bytes) => {
      hiddenBytes += bytes;
    },
    recordFailure: (cause) => {
      free ||= output.bytes() === 0 && !(cause instanceof ModelError && cause.billable);
    },
    tokens: () => {
      if (free) return 0;
      if (usage !== undefined) return usage.inputTokens + usage.outputTokens;
      return inputTokens + Math.min(outputTokensMax, output.bytes() + hiddenBytes);
    },
  };
}
