import { HttpError } from '../http/errors.ts';
import type { StreamingResponse, TextDeltaStream } from '../http/text-stream.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter, RateLimitPolicy } from '../platform/rate-limiter.ts';
import { type LanguageModel, ModelError } from './language-model.ts';
import { type ModelTimeouts, withTimeouts } from './model-timeouts.ts';
import { buildSystemPrompt } from './system-prompt.ts';
import { reserveTokens } from './token-budget.ts';
import { estimateMaxInputTokens } from './token-estimate.ts';
import { createUsageMeter, meterText, type UsageMeter } from './usage-meter.ts';

export type TextGenerationPorts = { model: LanguageModel; limiter: RateLimiter; timeouts: ModelTimeouts };

type StreamTextInput = {
  /** The operator's instructions, the first part of the system prompt. */
  instructions: string;
  /** The visitor's text. */
  prompt: string;
  /** See `ModelRequest`. */
  sourceTexts: readonly string[];
  outputTokensMax: number;
  model: string | undefined;
  /** Every budget that pays for the tokens. */
  tokenPolicies: readonly RateLimitPolicy[];
  /** Identifies the request's tenant in the log. */
  logFields: Record<string, unknown>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  log: Logger;
};

/** Streams the model's response to a visitor. Reserves its tokens before the call and settles them in any case. */
export const streamText = (ports: TextGenerationPorts, input: StreamTextInput): StreamingResponse => ({
  deltas: streamDeltas(ports, input),
  metadata: { writer: ports.model.kind },
});

/** @throws HttpError 429 or 502, or UnavailableError, before the first delta; ModelError after it */
async function* streamDeltas(
  { model, limiter, timeouts }: TextGenerationPorts,
  { instructions, tokenPolicies, logFields, signal, log, ...input }: StreamTextInput,
): TextDeltaStream {
  const request = { ...input, system: buildSystemPrompt(instructions) };
  const inputTokens = estimateMaxInputTokens(request.system, request.prompt);
  const reservation = await reserveTokens(limiter, tokenPolicies, inputTokens + input.outputTokensMax, log);
  const meter = createUsageMeter(inputTokens, input.outputTokensMax);
  try {
    const parts = withTimeouts((abortSignal) => model.stream({ ...request, signal: abortSignal }), timeouts, signal);
    return yield* meterText(parts, meter);
  } catch (cause) {
    throw signal.aborted ? cause : toStreamError(cause, meter, log);
  } finally {
    log.recordMetric('AiTokens', meter.tokens());
    log.info('A language model was used.', { ...logFields, tokens: meter.tokens() });
    await reservation.settle(meter.tokens());
  }
}

/** Before the first delta an error becomes a 502. After it, the response is aborted. */
function toStreamError(cause: unknown, meter: UsageMeter, log: Logger): unknown {
  if (meter.output.bytes() > 0) {
    log.error('The model failed after its first token.', cause);
    log.recordMetric('AiAnswerBrokenOff');
    return cause;
  }
  meter.recordFailure(cause);
  if (!(cause instanceof ModelError)) return cause;
  // The only error of the API without a code, as its contract says.
  const extension = { error: { code: undefined } };
  return new HttpError(502, 'The AI model failed to respond. Try again shortly.', { extension, cause });
}
