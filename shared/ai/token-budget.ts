import { HttpError, rateLimitHeaders } from '../http/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { consumeAll, type RateLimiter, type RateLimitPolicy } from '../platform/rate-limiter.ts';

export const FUNNEL_TOKENS_PER_DAY = 500_000;
export const ORGANIZATION_TOKENS_PER_DAY = 2_000_000;

/** At least this many clients are needed to use up the budget of a funnel. */
const CLIENTS_PER_BUDGET = 10;

export type TokenReservation = {
  /** Refunds unused tokens. Call it once, also after a failure. Never throws. */
  settle(usedTokens: number): Promise<void>;
};

/**
 * Reserves `tokens` in the budgets of all policies. If one budget has too little left, reserves none. If the Lambda
 * function crashes, the tokens stay reserved until the end of the UTC day.
 *
 * @throws HttpError 429 when too little of a budget is left; UnavailableError when tokens can't be counted
 */
export async function reserveTokens(
  limiter: RateLimiter,
  policies: readonly RateLimitPolicy[],
  tokens: number,
  log: Logger,
): Promise<TokenReservation> {
  const { exceeded, refund } = await consumeAll(limiter, policies, log, tokens);
  if (exceeded !== undefined) throw budgetExceeded(exceeded.policy, exceeded.result.resetSeconds);
  return createReservation(tokens, refund);
}

/**
 * Reserves `tokens` in the budget of one policy.
 *
 * @returns undefined when too little of the budget is left
 * @throws UnavailableError when tokens can't be counted
 */
export async function tryReserveTokens(
  limiter: RateLimiter,
  policy: RateLimitPolicy,
  tokens: number,
  log: Logger,
): Promise<TokenReservation | undefined> {
  const { allowed, refund } = await limiter.consume(policy, log, tokens);
  return allowed ? createReservation(tokens, refund) : undefined;
}

const createReservation = (tokens: number, refund: (units: number) => Promise<void>): TokenReservation => ({
  settle: async (usedTokens) => refund(Math.max(0, tokens - Math.ceil(usedTokens))),
});

const UTC_DAY = { windowSeconds: 86_400, onOutage: 'deny' } as const;

export const funnelTokenPolicy = (funnelId: string, limit: number = FUNNEL_TOKENS_PER_DAY): RateLimitPolicy => ({
  name: 'ai-tokens-funnel',
  partitionKey: funnelId,
  limit,
  ...UTC_DAY,
});

export const organizationTokenPolicy = (
  orgId: string,
  limit: number = ORGANIZATION_TOKENS_PER_DAY,
): RateLimitPolicy => ({ name: 'ai-tokens-organization', partitionKey: orgId, limit, ...UTC_DAY });

/**
 * Returns the policy for a client's share of a funnel's budget. An IPv6 /48 network needs no policy. Its limit would be
 * ten shares (ADR 0016), which is the whole budget.
 */
export const clientTokenPolicy = (funnel: RateLimitPolicy, clientPseudonym: string): RateLimitPolicy => ({
  name: 'ai-tokens-address',
  partitionKey: `${funnel.partitionKey}/${clientPseudonym}`,
  limit: Math.floor(funnel.limit / CLIENTS_PER_BUDGET),
  ...UTC_DAY,
});

const OWNERS: Readonly<Record<string, string>> = {
  'ai-tokens-address': 'client address',
  'ai-tokens-funnel': 'funnel',
  'ai-tokens-organization': 'organization',
};

function budgetExceeded({ name, limit, windowSeconds }: RateLimitPolicy, resetSeconds: number): HttpError {
  const headers = rateLimitHeaders({ name, limit, windowSeconds, resetSeconds });
  const message = `This request needs more AI tokens than are left today for the ${OWNERS[name]}. The budget is renewed at midnight UTC.`;
  return new HttpError(429, message, { headers });
}
