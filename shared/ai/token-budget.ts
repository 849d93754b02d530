import type { AiBlock, Funnel } from '../funnels/funnel.ts';
import { HttpError, rateLimitHeaders } from '../http/errors.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter, RateLimitPolicy } from '../platform/rate-limiter.ts';
import { consumeAll } from '../platform/rate-limiter.ts';

export const FUNNEL_TOKENS_PER_DAY = 500_000;
export const ORGANIZATION_TOKENS_PER_DAY = 2_000_000;
const DAY_SECONDS = 86_400;

/** So many addresses can use up a funnel's tokens at the soonest. */
const ADDRESSES_PER_BUDGET = 10;

/** Whose tokens a call takes. */
export type TokenBudgets = {
  funnel: Funnel;
  block: AiBlock;
  organization: Organization | undefined;
  /** Keys of the visitor's address in counters, see `AddressKeys`. */
  addressKey: string;
};

export type TokenReservation = {
  /** Gives back what was not used; to be called once, however the call ended. Never throws. */
  settle(usedTokens: number): Promise<void>;
};

/**
 * Takes tokens from the address's share of the funnel's budget, from that budget and from the organization's, of the UTC
 * day. A function that dies leaves them taken: the safe side.
 *
 * @throws Problem 429 when one of them does not hold so many, 503 when they can't be counted
 */
export async function reserveTokens(
  limiter: RateLimiter,
  payers: TokenBudgets,
  tokens: number,
  log: Logger,
): Promise<TokenReservation> {
  const { exceeded: refused, refund: giveBack } = await consumeAll(limiter, windowsOf(payers), log, tokens);
  if (refused !== undefined) throw usedUp(refused.policy, refused.result.resetSeconds);
  return reservation(tokens, giveBack);
}

/**
 * The same for a call that no funnel asks for.
 *
 * @returns undefined when the organization's budget does not hold so many
 * @throws Problem 503 when they can't be counted
 */
export async function reserveOrganizationTokens(
  limiter: RateLimiter,
  { orgId, organization }: { orgId: string; organization: Organization | undefined },
  tokens: number,
  log: Logger,
): Promise<TokenReservation | undefined> {
  const { allowed, refund: giveBack } = await limiter.consume(
    organizationTokenPolicy(orgId, organization?.limits),
    log,
    tokens,
  );
  return allowed ? reservation(tokens, giveBack) : undefined;
}

const reservation = (tokens: number, giveBack: (units: number) => Promise<void>): TokenReservation => ({
  settle: async (usedTokens) => giveBack(Math.max(0, tokens - Math.ceil(usedTokens))),
});

const DAY = { windowSeconds: DAY_SECONDS, onOutage: 'deny' } as const;

const windowsOf = ({ funnel, block, organization, addressKey }: TokenBudgets): RateLimitPolicy[] => [
  clientTokenPolicy(funnel, block, addressKey),
  funnelTokenPolicy(funnel, block),
  organizationTokenPolicy(funnel.orgId, organization?.limits),
];

/** A funnel's tokens of the UTC day. */
export function funnelTokenPolicy(
  { id, limits }: Pick<Funnel, 'id' | 'limits'>,
  block?: Pick<AiBlock, 'dailyTokens'>,
): RateLimitPolicy {
  const limit = block?.dailyTokens ?? limits.aiTokensPerDay ?? FUNNEL_TOKENS_PER_DAY;
  return { name: 'ai-tokens-funnel', partitionKey: id, limit, ...DAY };
}

/** An IPv6 address has no window of its /48: ten times the share is the funnel's whole budget, which is counted anyway. */
function clientTokenPolicy(funnel: Funnel, block: AiBlock, addressKey: string): RateLimitPolicy {
  const limit = Math.floor(funnelTokenPolicy(funnel, block).limit / ADDRESSES_PER_BUDGET);
  return { name: 'ai-tokens-address', partitionKey: `${funnel.id}/${addressKey}`, limit, ...DAY };
}

/** An organization's tokens of the UTC day, for whatever asks a model. */
export function organizationTokenPolicy(orgId: string, limits?: Organization['limits']): RateLimitPolicy {
  const limit = limits?.aiTokensPerDay ?? ORGANIZATION_TOKENS_PER_DAY;
  return { name: 'ai-tokens-organization', partitionKey: orgId, limit, ...DAY };
}

const WHOSE: Readonly<Record<string, string>> = {
  'ai-tokens-address': 'client address',
  'ai-tokens-funnel': 'funnel',
  'ai-tokens-organization': 'organization',
};

function usedUp({ name: scope, limit, windowSeconds }: RateLimitPolicy, resetSeconds: number): HttpError {
  const headers = rateLimitHeaders({ name: scope, limit, windowSeconds, resetSeconds });
  const message = `This request needs more AI tokens than are left today for the ${WHOSE[scope]}. The budget is renewed at midnight UTC.`;
  return new HttpError(429, message, { headers });
}
