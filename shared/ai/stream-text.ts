import { HttpError } from '../http/errors.ts';
import type { StreamingResponse, TextDeltaStream } from '../http/text-stream.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import { type LanguageModel, ModelError } from './language-model.ts';
import { meterText } from './meter-text.ts';
import { type ModelTimeouts, withTimeouts } from './model-timeouts.ts';
import { buildSystemPrompt } from './system-prompt.ts';
import { reserveTokens, type TokenBudgets } from './token-budget.ts';
import { estimateMaxInputTokens } from './token-estimate.ts';
import { createUsageMeter, type UsageMeter } from './usage-meter.ts';

export type TextGenerationPorts = { model: LanguageModel; limiter: RateLimiter; timeouts: ModelTimeouts };

export type StreamTextInput = TokenBudgets & {
  prompt: string;
  /** Aborted when nobody reads any more. */
  signal: AbortSignal;
  log: Logger;
};

/** The model's answer to a visitor, as it comes. Its tokens are reserved before the call and settled however it ends. */
export const streamText = (ports: TextGenerationPorts, asked: StreamTextInput): StreamingResponse => ({
  deltas: deltasOf(ports, asked),
  metadata: { writer: ports.model.kind },
});

/** @throws Problem 429, 503, 502 before the first delta; ModelFailure after it */
async function* deltasOf(
  { model, limiter, timeouts: pace }: TextGenerationPorts,
  asked: StreamTextInput,
): TextDeltaStream {
  const { block, log } = asked;
  const call = {
    system: buildSystemPrompt(block.systemPrompt),
    prompt: asked.prompt,
    sourceTexts: block.texts,
    outputTokensMax: block.outputTokensMax,
    model: block.model,
  };
  const inputTokens = estimateMaxInputTokens(call.system, call.prompt);
  const reservation = await reserveTokens(limiter, asked, inputTokens + block.outputTokensMax, log);
  const bill = createUsageMeter(inputTokens, block.outputTokensMax);
  try {
    const parts = withTimeouts((signal) => model.stream({ ...call, signal }), pace, asked.signal);
    return yield* meterText(parts, bill);
  } catch (cause) {
    throw asked.signal.aborted ? cause : failureOf(cause, bill, log);
  } finally {
    log.recordMetric('AiTokens', bill.tokens());
    log.info('a model was used', { orgId: asked.funnel.orgId, funnelId: asked.funnel.id, tokens: bill.tokens() });
    await reservation.settle(bill.tokens());
  }
}

/** Before the first delta a failure has a status of its own, afterwards it breaks the answer off. */
function failureOf(cause: unknown, bill: UsageMeter, log: Logger): unknown {
  if (bill.output.bytes() > 0) {
    log.error('the model failed after its first token', cause);
    log.recordMetric('AiAnswerBrokenOff');
    return cause;
  }
  bill.recordFailure(cause);
  if (!(cause instanceof ModelError)) return cause;
  // Interface 7: the one outcome whose error has a message alone.
  const extension = { error: { code: undefined } };
  return new HttpError(502, 'The AI model failed to respond. Try again shortly.', { extension, cause });
}
