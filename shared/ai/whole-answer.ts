import type { Limiter } from '../limits/limiter.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Log } from '../platform/log.ts';
import { billOf } from './bill.ts';
import { billedText } from './billed-text.ts';
import { type Pace, paced } from './paced.ts';
import type { ModelRequest, TextModel } from './text-model.ts';
import { reserveOrganizationTokens } from './token-budget.ts';
import { inputTokensAtMost } from './token-estimate.ts';

type Ports = { model: TextModel; limiter: Limiter; pace: Pace };
type Payer = { orgId: string; organization: Organization | undefined; log: Log };

/**
 * A model's answer once it is whole, for work that no visitor waits for. Its tokens are reserved from the organization's
 * budget of the UTC day before the call, and settled however it ends.
 *
 * @returns undefined when the budget does not hold so many
 * @throws ModelFailure, Problem 503 when tokens can't be counted, the reason of the request's signal once it is aborted
 */
export async function wholeAnswer(
  { model, limiter, pace }: Ports,
  { log, ...payer }: Payer,
  request: ModelRequest,
): Promise<string | undefined> {
  const { system, prompt, schema, outputTokensMax, signal: gone } = request;
  const inputTokens = inputTokensAtMost(system, prompt, schema);
  const reservation = await reserveOrganizationTokens(limiter, payer, inputTokens + outputTokensMax, log);
  if (reservation === undefined) return undefined;
  const bill = billOf(inputTokens, outputTokensMax);
  try {
    let text = '';
    const parts = paced((signal) => model.stream({ ...request, signal }), pace, gone);
    for await (const delta of billedText(parts, bill)) text += delta;
    return text;
  } catch (cause) {
    bill.failed(cause);
    throw cause;
  } finally {
    log.count('AiTokens', bill.tokens());
    log.info('a model was used', { orgId: payer.orgId, tokens: bill.tokens() });
    await reservation.settle(bill.tokens());
  }
}
