import { tooManyRequests } from '../http/errors.ts';
import { type ClientPseudonyms, clientRateLimitPolicies } from '../limits/client-pseudonym.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter, RateLimitPolicy, RateLimitResult } from '../platform/rate-limiter.ts';
import { consumeAll } from '../platform/rate-limiter.ts';

const DAY_SECONDS = 86_400;
const DAY_BYTES = 5_000_000_000;
/** Of these, the most from one address, over all organizations. */
const ADDRESS_DAY_BYTES = 1_000_000_000;

/** An organization's uploaded bytes of the UTC day. */
export const dailyUploadQuota = (orgId: string, { uploadBytesPerDay }: Organization['limits']): RateLimitPolicy => ({
  name: 'upload-bytes-day',
  partitionKey: orgId,
  limit: uploadBytesPerDay ?? DAY_BYTES,
  windowSeconds: DAY_SECONDS,
  onOutage: 'deny',
});

/** What one address uploaded on the UTC day. */
const dailyAddressQuotas = (address: ClientPseudonyms): RateLimitPolicy[] =>
  clientRateLimitPolicies(address, {
    name: 'upload-bytes-address-day',
    limit: ADDRESS_DAY_BYTES,
    windowSeconds: DAY_SECONDS,
    onOutage: 'deny',
  });

/** Every window that the bytes of a file are counted in. */
export const uploadQuotas = (orgId: string, address: ClientPseudonyms): RateLimitPolicy[] => [
  ...dailyAddressQuotas(address),
  dailyUploadQuota(orgId, {}),
];

/**
 * Counts the bytes of the address's day before they are stored; what is not stored is given back.
 *
 * @throws Problem 429 when the address has no room for them, 503 when they can not be counted
 */
export async function withAddressQuota<T>(
  limiter: RateLimiter,
  { address, bytes, log }: { address: ClientPseudonyms; bytes: number; log: Logger },
  store: () => Promise<T>,
): Promise<T> {
  const { exceeded: refused, refund: giveBack } = await consumeAll(limiter, dailyAddressQuotas(address), log, bytes);
  if (refused) throw tooManyRequests({ ...refused.policy, ...refused.result });
  return store().catch(async (cause: unknown) => {
    await giveBack();
    throw cause;
  });
}

/**
 * Counts the bytes of the organization's day before they are stored; what is not stored is given back.
 *
 * @param store is given what returns a part of them
 * @throws Problem 429 when the day has no room for them, 503 when they can not be counted
 */
export async function withUploadQuota<T>(
  limiter: RateLimiter,
  { organization, bytes, log }: { organization: Organization; bytes: number; log: Logger },
  store: (giveBack: (bytes: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const window = dailyUploadQuota(organization.id, organization.limits);
  const taken: RateLimitResult = await limiter.consume(window, log, bytes);
  if (!taken.allowed) throw tooManyRequests({ ...window, ...taken });
  let left = bytes;
  const giveBack = async (some: number) => {
    left -= some;
    await taken.refund(some);
  };
  return store(giveBack).catch(async (cause: unknown) => {
    await taken.refund(left);
    throw cause;
  });
}
