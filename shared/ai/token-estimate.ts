import type { OutputSchema } from './language-model.ts';

/**
 * Upper bound of the tokens around the messages, such as roles and separators. OpenAI's counting guide names 3 per
 * message and 3 for the response. Templates of other providers add a few more.
 */
const TEMPLATE_TOKENS = 32;

/**
 * Upper bound of the tokens of a text: one per byte of its UTF-8. Tokenizers of today's models are byte-level BPE, or
 * fall back to bytes for unknown text. Each of their tokens therefore contains at least one byte (Radford et al.,
 * "Language Models are Unsupervised Multitask Learners", 2019, section 2.2).
 */
const tokensAtMost = (text: string): number => Buffer.byteLength(text);

/** Upper bound of the tokens that providers add for a tool besides its schema. Anthropic documents a few hundred. */
const TOOL_TOKENS = 1_000;

/** Upper bound of the input tokens that a provider can bill for these messages. */
export const estimateMaxInputTokens = (system: string, prompt: string, schema?: OutputSchema): number =>
  tokensAtMost(system) +
  tokensAtMost(prompt) +
  TEMPLATE_TOKENS +
  (schema ? tokensAtMost(JSON.stringify(schema)) + TOOL_TOKENS : 0);

/** Upper bound of the average bytes per token in a natural language. English has 4 to 5, other scripts have up to 8. */
const BYTES_PER_TOKEN_MAX = 16;

export type OutputLimiter = {
  /** Returns the part of a delta that is within the limit, in whole characters. */
  push(delta: string): string;
  /** Returns U+FFFD if `push` held back half of a surrogate pair and truncated nothing; otherwise an empty string. */
  flush(): string;
  isTruncated(): boolean;
  /** Bytes that `push` and `flush` have returned so far. */
  bytes(): number;
};

/**
 * Enforces the output limit in case the provider does not. Counts one token per 16 bytes of a delta, and at least one
 * per delta. Providers usually count at least as many tokens, so a response within the provider's limit is usually not
 * truncated. Joins surrogate pairs that arrive in two deltas.
 */
export function createOutputLimiter(tokensMax: number): OutputLimiter {
  let tokens = 0;
  let bytes = 0;
  let cut = false;
  let half = '';
  return {
    push: (delta) => {
      if (delta === '') return '';
      const whole = half + delta;
      half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? '';
      const text = whole.slice(0, whole.length - half.length).toWellFormed();
      const kept = firstBytes(text, (tokensMax - tokens) * BYTES_PER_TOKEN_MAX);
      cut ||= kept.length < text.length || tokens >= tokensMax;
      const keptBytes = Buffer.byteLength(kept);
      tokens += Math.max(1, Math.ceil(keptBytes / BYTES_PER_TOKEN_MAX));
      bytes += keptBytes;
      return kept;
    },
    flush: () => {
      const rest = cut ? '' : half.toWellFormed();
      half = '';
      bytes += Buffer.byteLength(rest);
      return rest;
    },
    isTruncated: () => cut,
    bytes: () => bytes,
  };
}

/** The start of the text in at most `bytesMax` bytes. Does not split a character. */
function firstBytes(text: string, bytesMax: number): string {
  if (bytesMax <= 0) return '';
  const encoded = Buffer.from(text);
  if (encoded.length <= bytesMax) return text;
  let end = bytesMax;
  // A byte of the form 10xxxxxx continues a character.
  while (((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
