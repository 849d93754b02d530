import { tooManyRequests } from '../http/errors.ts';
import { type ClientPseudonyms, clientRateLimitPolicies } from '../limits/client-pseudonym.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Logger } from '../platform/logger.ts';
import { consumeAll, type RateLimiter, type RateLimitPolicy, type RateLimitResult } from '../platform/rate-limiter.ts';
import type { UploadSweepPorts } from './sweep-uploads.ts';

const DAY_SECONDS = 86_400;
const ORGANIZATION_BYTES_PER_DAY = 5_000_000_000;
/** Bytes that one client can upload per UTC day, over all organizations. */
const CLIENT_BYTES_PER_DAY = 1_000_000_000;

/** Returns the quota of bytes that an organization can receive per UTC day. */
export const dailyUploadQuota = (orgId: string, { uploadBytesPerDay }: Organization['limits']): RateLimitPolicy => ({
  name: 'upload-bytes-day',
  partitionKey: orgId,
  limit: uploadBytesPerDay ?? ORGANIZATION_BYTES_PER_DAY,
  windowSeconds: DAY_SECONDS,
  onOutage: 'deny',
});

/** Returns the quotas of bytes that a client can upload per UTC day. */
export const dailyClientQuotas = (client: ClientPseudonyms): RateLimitPolicy[] =>
  clientRateLimitPolicies(client, {
    name: 'upload-bytes-address-day',
    limit: CLIENT_BYTES_PER_DAY,
    windowSeconds: DAY_SECONDS,
    onOutage: 'deny',
  });

/**
 * Counts the bytes in the client's daily quotas, then calls `store`. Refunds the bytes if `store` fails.
 *
 * @throws HttpError 429 if a quota is exceeded; UnavailableError if the bytes can't be counted. Also rethrows the
 *   errors of `store`
 */
export async function withClientQuota<T>(
  limiter: RateLimiter,
  { client, bytes, log }: { client: ClientPseudonyms; bytes: number; log: Logger },
  store: () => Promise<T>,
): Promise<T> {
  const { exceeded, refund } = await consumeAll(limiter, dailyClientQuotas(client), log, bytes);
  if (exceeded) throw tooManyRequests({ ...exceeded.policy, ...exceeded.result });
  return store().catch(async (cause: unknown) => {
    await refund();
    throw cause;
  });
}

/**
 * Counts the bytes in the organization's daily quota, then calls `store`. If `store` fails, refunds the bytes that
 * `store` has not refunded.
 *
 * @param store gets a function with which it can refund a part of the bytes
 * @throws HttpError 429 if the quota is exceeded; UnavailableError if the bytes can't be counted. Also rethrows the
 *   errors of `store`
 */
export async function withUploadQuota<T>(
  limiter: RateLimiter,
  { organization, bytes, log }: { organization: Organization; bytes: number; log: Logger },
  store: (refund: (bytes: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const policy = dailyUploadQuota(organization.id, organization.limits);
  const result: RateLimitResult = await limiter.consume(policy, log, bytes);
  if (!result.allowed) throw tooManyRequests({ ...policy, ...result });
  let left = bytes;
  const refund = async (part: number) => {
    left -= part;
    await result.refund(part);
  };
  return store(refund).catch(async (cause: unknown) => {
    await result.refund(left);
    throw cause;
  });
}

/** Gives units back to the rate limit `policy` that counted them at `atMs`. Never throws. */
type RefundUnits = (policy: RateLimitPolicy, consumed: { atMs: number; units: number }, log: Logger) => Promise<void>;

/**
 * Creates a function that refunds the reserved bytes of a direct upload to the quotas of the UTC day on which the
 * upload was started.
 */
export const createReservationRelease =
  (refundUnits: RefundUnits, log: Logger): UploadSweepPorts['releaseReservation'] =>
  async ({ orgId, reservation, createdAtMs: atMs, size: units }) => {
    if (reservation === undefined) return;
    const policies = [...dailyClientQuotas(reservation), dailyUploadQuota(orgId, {})];
    await Promise.all(policies.map((policy) => refundUnits(policy, { atMs, units }, log)));
  };
