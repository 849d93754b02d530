import type { AiBlock, Funnel } from '../funnels/funnel.ts';
import { Problem } from '../http/problem.ts';
import { rateLimitHeaders } from '../http/rate-limited.ts';
import type { Limiter, Window } from '../limits/limiter.ts';
import { takeAll } from '../limits/take-all.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Log } from '../platform/log.ts';

export const FUNNEL_TOKENS_PER_DAY = 500_000;
export const ORGANIZATION_TOKENS_PER_DAY = 2_000_000;
const DAY_SECONDS = 86_400;

/** So many addresses can use up a funnel's tokens at the soonest. */
const ADDRESSES_PER_BUDGET = 10;

/** Whose tokens a call takes. */
export type Payers = {
  funnel: Funnel;
  block: AiBlock;
  organization: Organization | undefined;
  /** Keys of the visitor's address in counters, see `AddressKeys`. */
  addressKey: string;
};

export type Reservation = {
  /** Gives back what was not used; to be called once, however the call ended. Never throws. */
  settle(usedTokens: number): Promise<void>;
};

/**
 * Takes tokens from the address's share of the funnel's budget, from that budget and from the organization's, of the UTC
 * day. A function that dies leaves them taken: the safe side.
 *
 * @throws Problem 429 when one of them does not hold so many, 503 when they can't be counted
 */
export async function reserveTokens(limiter: Limiter, payers: Payers, tokens: number, log: Log): Promise<Reservation> {
  const { refused, giveBack } = await takeAll(limiter, windowsOf(payers), log, tokens);
  if (refused !== undefined) throw usedUp(refused.window, refused.taken.resetSeconds);
  return reservation(tokens, giveBack);
}

/**
 * The same for a call that no funnel asks for.
 *
 * @returns undefined when the organization's budget does not hold so many
 * @throws Problem 503 when they can't be counted
 */
export async function reserveOrganizationTokens(
  limiter: Limiter,
  { orgId, organization }: { orgId: string; organization: Organization | undefined },
  tokens: number,
  log: Log,
): Promise<Reservation | undefined> {
  const { allowed, giveBack } = await limiter.take(organizationTokens(orgId, organization?.limits), log, tokens);
  return allowed ? reservation(tokens, giveBack) : undefined;
}

const reservation = (tokens: number, giveBack: (units: number) => Promise<void>): Reservation => ({
  settle: async (usedTokens) => giveBack(Math.max(0, tokens - Math.ceil(usedTokens))),
});

const DAY = { windowSeconds: DAY_SECONDS, unreachable: 'refuse' } as const;

const windowsOf = ({ funnel, block, organization, addressKey }: Payers): Window[] => [
  addressTokens(funnel, block, addressKey),
  funnelTokens(funnel, block),
  organizationTokens(funnel.orgId, organization?.limits),
];

/** A funnel's tokens of the UTC day. */
export function funnelTokens(
  { id, limits }: Pick<Funnel, 'id' | 'limits'>,
  block?: Pick<AiBlock, 'dailyTokens'>,
): Window {
  const limit = block?.dailyTokens ?? limits.aiTokensPerDay ?? FUNNEL_TOKENS_PER_DAY;
  return { scope: 'ai-tokens-funnel', key: id, limit, ...DAY };
}

/** An IPv6 address has no window of its /48: ten times the share is the funnel's whole budget, which is counted anyway. */
function addressTokens(funnel: Funnel, block: AiBlock, addressKey: string): Window {
  const limit = Math.floor(funnelTokens(funnel, block).limit / ADDRESSES_PER_BUDGET);
  return { scope: 'ai-tokens-address', key: `${funnel.id}/${addressKey}`, limit, ...DAY };
}

/** An organization's tokens of the UTC day, for whatever asks a model. */
export function organizationTokens(orgId: string, limits?: Organization['limits']): Window {
  const limit = limits?.aiTokensPerDay ?? ORGANIZATION_TOKENS_PER_DAY;
  return { scope: 'ai-tokens-organization', key: orgId, limit, ...DAY };
}

const WHOSE: Readonly<Record<string, string>> = {
  'ai-tokens-address': 'client address',
  'ai-tokens-funnel': 'funnel',
  'ai-tokens-organization': 'organization',
};

function usedUp({ scope, limit, windowSeconds }: Window, resetSeconds: number): Problem {
  const headers = rateLimitHeaders({ scope, limit, windowSeconds, resetSeconds });
  const message = `This request needs more AI tokens than are left today for the ${WHOSE[scope]}. The budget is renewed at midnight UTC.`;
  return new Problem(429, message, { headers });
}
