import { ModelFailure, type Usage } from './text-model.ts';
import { limitedOutput, type Output } from './token-estimate.ts';

export type Bill = {
  /** Holds the answer to its limit. */
  output: Output;
  counted(usage: Usage): void;
  hidden(bytes: number): void;
  /** To be told of a failure: one that came before any text, and that the provider did not take up, costs nothing. */
  failed(cause: unknown): void;
  tokens(): number;
};

/** What a call costs: what the provider counted or, where it told nothing, as much as it can have been. */
export function billOf(inputTokens: number, outputTokensMax: number): Bill {
  let usage: Usage | undefined;
  let hiddenBytes = 0;
  let free = false;
  const output = limitedOutput(outputTokensMax);
  return {
    output,
    counted: (counted) => {
      usage = counted;
    },
    hidden: (bytes) => {
      hiddenBytes += bytes;
    },
    failed: (cause) => {
      free ||= output.bytes() === 0 && !(cause instanceof ModelFailure && cause.billable);
    },
    tokens: () => {
      if (free) return 0;
      if (usage !== undefined) return usage.inputTokens + usage.outputTokens;
      return inputTokens + Math.min(outputTokensMax, output.bytes() + hiddenBytes);
    },
  };
}
