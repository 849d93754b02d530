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
  /** The instructions from the funnel's AI block. They become the first part of the system prompt. */
  instructions: string;
  prompt: string;
  sourceTexts: readonly string[];
  outputTokensMax: number;
  modelId: string | undefined;
  tokenPolicies: readonly RateLimitPolicy[];
  /** Fields that identify the organization and the funnel of the request in the log line. */
  logFields: Record<string, unknown>;
  /** Aborted when the response stream closes, and when the invocation ends. */
  signal: AbortSignal;
  log: Logger;
};

/**
 * Streams the model's response to a visitor. Reserves tokens before the request to the model, and refunds unused tokens
 * when the stream ends, also after a failure.
 */
export const streamText = (ports: TextGenerationPorts, input: StreamTextInput): StreamingResponse => ({
  deltas: streamDeltas(ports, input),
  metadata: { writer: ports.model.kind },
});

/**
 * @throws HttpError 429 or 502, or UnavailableError, before the first delta; ModelError after the first delta; the
 *   abort reason of `signal`
 */
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
    log.info('A text generation ended.', { ...logFields, tokens: meter.tokens() });
    await reservation.settle(meter.tokens());
  }
}

/**
 * Before the first delta, a ModelError becomes a 502, and other errors stay unchanged. After the first delta, every
 * error is logged and stays unchanged.
 */
function toStreamError(cause: unknown, meter: UsageMeter, log: Logger): unknown {
  if (meter.output.bytes() > 0) {
    log.error('The model failed after its first token.', cause);
    log.recordMetric('AiAnswerBrokenOff');
    return cause;
  }
  meter.recordFailure(cause);
  if (!(cause instanceof ModelError)) return cause;
  // By contract, this is the only error of the API without a code.
  const extension = { error: { code: undefined } };
  return new HttpError(502, 'The AI model failed to respond. Try again shortly.', { extension, cause });
}
