import type { Organization } from '../organizations/organization.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { LanguageModel, ModelRequest } from './language-model.ts';
import { meterText } from './meter-text.ts';
import { type ModelTimeouts, withTimeouts } from './model-timeouts.ts';
import { reserveOrganizationTokens } from './token-budget.ts';
import { estimateMaxInputTokens } from './token-estimate.ts';
import { createUsageMeter } from './usage-meter.ts';

type Ports = { model: LanguageModel; limiter: RateLimiter; pace: ModelTimeouts };
type Payer = { orgId: string; organization: Organization | undefined; log: Logger };

/**
 * A model's answer once it is whole, for work that no visitor waits for. Its tokens are reserved from the organization's
 * budget of the UTC day before the call, and settled however it ends.
 *
 * @returns undefined when the budget does not hold so many
 * @throws ModelFailure, Problem 503 when tokens can't be counted, the reason of the request's signal once it is aborted
 */
export async function generateText(
  { model, limiter, pace }: Ports,
  { log, ...payer }: Payer,
  request: ModelRequest,
): Promise<string | undefined> {
  const { system, prompt, schema, outputTokensMax, signal: gone } = request;
  const inputTokens = estimateMaxInputTokens(system, prompt, schema);
  const reservation = await reserveOrganizationTokens(limiter, payer, inputTokens + outputTokensMax, log);
  if (reservation === undefined) return undefined;
  const bill = createUsageMeter(inputTokens, outputTokensMax);
  try {
    let text = '';
    const parts = withTimeouts((signal) => model.stream({ ...request, signal }), pace, gone);
    for await (const delta of meterText(parts, bill)) text += delta;
    return text;
  } catch (cause) {
    bill.recordFailure(cause);
    throw cause;
  } finally {
    log.recordMetric('AiTokens', bill.tokens());
    log.info('a model was used', { orgId: payer.orgId, tokens: bill.tokens() });
    await reservation.settle(bill.tokens());
  }
}
