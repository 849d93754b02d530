import type { OutputSchema } from './language-model.ts';

/**
 * The tokens that the frame around the messages takes: roles, separators, the opening of the answer. OpenAI's counting
 * guide has 3 a message and 3 for the answer; other templates have a few more.
 */
const FRAME_TOKENS = 32;

/**
 * As many tokens as a text can have at most: one for each byte of its UTF-8. Tokenizers of today's models are byte-level
 * BPE, or fall back to bytes for what they do not know: they begin with the 256 bytes and only ever join them
 * (Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, section 2.2).
 */
const tokensAtMost = (text: string): number => Buffer.byteLength(text);

/** What providers put around a tool, besides its schema: Anthropic's table of tool use has some hundred a model. */
const SCHEMA_FRAME_TOKENS = 1_000;

/** As many tokens as a model can be billed for reading these messages. */
export const estimateMaxInputTokens = (system: string, prompt: string, schema?: OutputSchema): number =>
  tokensAtMost(system) +
  tokensAtMost(prompt) +
  FRAME_TOKENS +
  (schema ? tokensAtMost(JSON.stringify(schema)) + SCHEMA_FRAME_TOKENS : 0);

/**
 * No natural language gets more bytes out of a token on average: English has 4 to 5, scripts of three bytes a
 * character up to 8.
 */
const BYTES_PER_TOKEN_MAX = 16;

export type OutputLimiter = {
  /** What of a delta is for the reader: whole characters, and nothing beyond the limit. */
  push(delta: string): string;
  /** What `take` kept back for want of its other half. */
  flush(): string;
  /** Whether something was cut off. */
  isTruncated(): boolean;
  /** Bytes given out so far. */
  bytes(): number;
};

/**
 * Holds an answer to its limit when the provider does not: counts at least one token for each delta and for every 16
 * bytes, which is less than any provider counts, so that no answer within its limit is cut. Halves of a character that
 * a provider sends apart come out together.
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
    flush: () => (cut ? '' : half.toWellFormed()),
    isTruncated: () => cut,
    bytes: () => bytes,
  };
}

/** The whole characters that fit. */
function firstBytes(text: string, bytesMax: number): string {
  if (bytesMax <= 0) return '';
  const encoded = Buffer.from(text);
  if (encoded.length <= bytesMax) return text;
  let end = bytesMax;
  // A byte 10xxxxxx goes on with a character.
  while (((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
