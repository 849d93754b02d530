import type { Logger } from '../platform/logger.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { LanguageModel, ModelRequest } from './language-model.ts';
import { type ModelTimeouts, withTimeouts } from './model-timeouts.ts';
import { organizationTokenPolicy, tryReserveTokens } from './token-budget.ts';
import { estimateMaxInputTokens } from './token-estimate.ts';
import { createUsageMeter, meterText } from './usage-meter.ts';

type Ports = { model: LanguageModel; limiter: RateLimiter; timeouts: ModelTimeouts };
type Payer = { orgId: string; tokensPerDay: number | undefined; log: Logger };

/**
 * Returns the text of the model's response, for background work. The text may end early at `outputTokensMax`. Reserves
 * tokens from the organization's budget before the request to the model, and refunds unused tokens, also after a
 * failure.
 *
 * @returns undefined when too little of the budget is left
 * @throws ModelError; UnavailableError when tokens can't be counted or the API key can't be read; the reason of
 *   `request.signal` when this signal is aborted
 */
export async function generateText(
  { model, limiter, timeouts }: Ports,
  { log, orgId, tokensPerDay }: Payer,
  request: ModelRequest,
): Promise<string | undefined> {
  const { system, prompt, schema, outputTokensMax } = request;
  const inputTokens = estimateMaxInputTokens(system, prompt, schema);
  const policy = organizationTokenPolicy(orgId, tokensPerDay);
  const reservation = await tryReserveTokens(limiter, policy, inputTokens + outputTokensMax, log);
  if (reservation === undefined) return undefined;
  const meter = createUsageMeter(inputTokens, outputTokensMax);
  try {
    let text = '';
    const parts = withTimeouts((signal) => model.stream({ ...request, signal }), timeouts, request.signal);
    for await (const delta of meterText(parts, meter)) text += delta;
    return text;
  } catch (cause) {
    meter.recordFailure(cause);
    throw cause;
  } finally {
    log.recordMetric('AiTokens', meter.tokens());
    log.info('A text generation ended.', { orgId, tokens: meter.tokens() });
    await reservation.settle(meter.tokens());
  }
}
