import { rateLimited } from '../http/rate-limited.ts';
import { type AddressKeys, addressWindows } from '../limits/address-key.ts';
import type { Limiter, Taken, Window } from '../limits/limiter.ts';
import { takeAll } from '../limits/take-all.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Log } from '../platform/log.ts';

const DAY_SECONDS = 86_400;
const DAY_BYTES = 5_000_000_000;
/** Of these, the most from one address, over all organizations. */
const ADDRESS_DAY_BYTES = 1_000_000_000;

/** An organization's uploaded bytes of the UTC day. */
export const dailyUploadQuota = (orgId: string, { uploadBytesPerDay }: Organization['limits']): Window => ({
  scope: 'upload-bytes-day',
  key: orgId,
  limit: uploadBytesPerDay ?? DAY_BYTES,
  windowSeconds: DAY_SECONDS,
  unreachable: 'refuse',
});

/** What one address uploaded on the UTC day. */
const dailyAddressQuotas = (address: AddressKeys): Window[] =>
  addressWindows(address, {
    scope: 'upload-bytes-address-day',
    limit: ADDRESS_DAY_BYTES,
    windowSeconds: DAY_SECONDS,
    unreachable: 'refuse',
  });

/** Every window that the bytes of a file are counted in. */
export const uploadQuotas = (orgId: string, address: AddressKeys): Window[] => [
  ...dailyAddressQuotas(address),
  dailyUploadQuota(orgId, {}),
];

/**
 * Counts the bytes of the address's day before they are stored; what is not stored is given back.
 *
 * @throws Problem 429 when the address has no room for them, 503 when they can not be counted
 */
export async function withAddressQuota<T>(
  limiter: Limiter,
  { address, bytes, log }: { address: AddressKeys; bytes: number; log: Log },
  store: () => Promise<T>,
): Promise<T> {
  const { refused, giveBack } = await takeAll(limiter, dailyAddressQuotas(address), log, bytes);
  if (refused) throw rateLimited({ ...refused.window, ...refused.taken });
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
  limiter: Limiter,
  { organization, bytes, log }: { organization: Organization; bytes: number; log: Log },
  store: (giveBack: (bytes: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const window = dailyUploadQuota(organization.id, organization.limits);
  const taken: Taken = await limiter.take(window, log, bytes);
  if (!taken.allowed) throw rateLimited({ ...window, ...taken });
  let left = bytes;
  const giveBack = async (some: number) => {
    left -= some;
    await taken.giveBack(some);
  };
  return store(giveBack).catch(async (cause: unknown) => {
    await taken.giveBack(left);
    throw cause;
  });
}
