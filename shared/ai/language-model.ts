import type { FinishReason } from '../http/text-stream.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/**
 * JSON Schema of an object that the model must return. Providers support different parts of JSON Schema, but all
 * support `type`, `properties`, `items`, `required` and `additionalProperties: false`.
 */
export type OutputSchema = {
  /** At most 64 characters: letters, digits, `_` and `-`. */
  name: string;
  schema: { type: 'object'; properties: Record<string, Json>; required: string[]; additionalProperties: false };
};

export type ModelRequest = {
  system: string;
  /** Untrusted text. It is sent as the user's message and never becomes part of `system`. */
  prompt: string;
  /** Texts from which the built-in writer composes its response. */
  sourceTexts: readonly string[];
  outputTokensMax: number;
  /** The provider's model id. Default: the deployment's first model. */
  modelId: string | undefined;
  /**
   * Requests JSON of this schema at temperature 0. Some models do not support schemas or temperatures. Therefore, the
   * caller must describe the schema in `system` and validate the response.
   */
  schema?: OutputSchema;
  /** An abort cancels the request at the provider. The stream of parts then throws. */
  signal: AbortSignal;
};

export type Usage = { inputTokens: number; outputTokens: number };

/**
 * One part of the stream: a piece of text, the size of hidden reasoning, the reason for the end, or the token usage.
 */
export type ModelPart = { text: string } | { reasoningBytes: number } | { finish: FinishReason } | { usage: Usage };

export type LanguageModel = {
  /** Event streams report the kind to clients. `builtin` is the built-in writer, which is not a language model. */
  kind: 'model' | 'builtin';
  /** @throws ModelError, before or after the first part; UnavailableError if the API key can't be read */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
};

/**
 * The model failed to respond, or to complete its response. Never include the provider's message. It may repeat the
 * prompt, and prompts must not be logged.
 */
export class ModelError extends Error {
  /** Whether the provider may have started to process the request and may charge for it. */
  readonly billable: boolean;

  constructor(message: string, { billable }: { billable: boolean }) {
    super(message);
    this.name = 'ModelError';
    this.billable = billable;
  }
}
