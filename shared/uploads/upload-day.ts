import type { Organization } from '../directory/organization.ts';
import { rateLimited } from '../http/rate-limited.ts';
import type { Limiter, Taken, Window } from '../limits/limiter.ts';
import type { Log } from '../platform/log.ts';

const DAY_SECONDS = 86_400;
const DAY_BYTES = 5_000_000_000;

/** An organization's uploaded bytes of the UTC day. */
export const uploadBytesOfDay = (orgId: string, { uploadBytesPerDay }: Organization['limits']): Window => ({
  scope: 'upload-bytes-day',
  key: orgId,
  limit: uploadBytesPerDay ?? DAY_BYTES,
  windowSeconds: DAY_SECONDS,
  unreachable: 'refuse',
});

/**
 * Counts the bytes of the organization's day before they are stored; what is not stored is given back.
 *
 * @param store is given what returns a part of them
 * @throws Problem 429 when the day has no room for them, 503 when they can not be counted
 */
export async function withinUploadDay<T>(
  limiter: Limiter,
  { organization, bytes, log }: { organization: Organization; bytes: number; log: Log },
  store: (giveBack: (bytes: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const window = uploadBytesOfDay(organization.id, organization.limits);
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
