import type { FinishReason } from '../http/text-stream.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/**
 * The form of an answer, as a JSON Schema of an object. Providers know different parts of JSON Schema: types, properties,
 * items, required and `additionalProperties: false` are common to all.
 */
export type OutputSchema = {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  schema: { type: 'object'; properties: Record<string, Json>; required: string[]; additionalProperties: false };
};

/** What a model is asked. */
export type ModelRequest = {
  system: string;
  /** The visitor's text: only ever the user's message, never part of `system`. */
  prompt: string;
  /** The funnel's own texts, for a writer that composes its answer from them. */
  sourceTexts: readonly string[];
  outputTokensMax: number;
  /** The model's id at its provider; undefined: the deployment's own choice. */
  model: string | undefined;
  /**
   * Asks for JSON of this form, and for the likeliest answer instead of a lively one. As far as the provider and the
   * model can: the caller checks what comes, and says in `system` what the form is.
   */
  schema?: OutputSchema;
  /** Aborting it ends the call at the provider and rejects the next part. */
  signal: AbortSignal;
};

export type Usage = { inputTokens: number; outputTokens: number };

/** Text for the reader; bytes of thought that no reader sees; why the text ended; what the provider counted. */
export type ModelPart = { text: string } | { hiddenBytes: number } | { finish: FinishReason } | { usage: Usage };

export type LanguageModel = {
  /** Who writes, told to readers of the event stream: `builtin` is no language model. */
  kind: 'model' | 'builtin';
  /** @throws ModelFailure, also between two parts */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
};

/**
 * A model that did not answer, or not to the end. Its message is ours alone: a provider's own words may repeat the
 * prompt, which no log may hold.
 */
export class ModelError extends Error {
  /** Whether the provider may have taken up the call, so that it may have billed something. */
  readonly billable: boolean;

  constructor(message: string, { billable }: { billable: boolean }) {
    super(message);
    this.name = 'ModelFailure';
    this.billable = billable;
  }
}
