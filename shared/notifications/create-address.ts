import { createHmac } from 'node:crypto';
import { HttpError, tooManyRequests } from '../http/errors.ts';
import { isEmailAddress } from '../leads/fields/email.ts';
import { normalizeDestination } from '../messages/destination.ts';
import { DEFAULT_TIME_ZONE, type Organization } from '../organizations/organization.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { consumeAll, type RateLimiter, type RateLimitPolicy } from '../platform/rate-limiter.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import type { NewNotificationAddress } from './address-schemas.ts';
import { toIsoString } from './notice.ts';
import { ADDRESSES_MAX, addressIdOf, isActive, type NotificationAddress } from './notification-address.ts';
import type { AddressRepository, NoticeWriter } from './ports.ts';

export type CreateAddressPorts = {
  addresses: Pick<AddressRepository, 'change'>;
  notices: NoticeWriter;
  organizations: { find(orgId: string): Promise<Pick<Organization, 'timezone'> | undefined> };
  limiter: RateLimiter;
  /** Reads the secret key with which addresses are hashed for rate limits. */
  readSecret(): Promise<string>;
  /** Base URL of the API. */
  linkBaseUrl(): string;
  clock: Clock;
};

/** Limits of confirmation mails per UTC day, so that the service cannot be used to flood a mailbox. */
export const CONFIRMATIONS_PER_DAY_AND_ORGANIZATION = 30;
export const CONFIRMATIONS_PER_DAY_AND_ADDRESS = 3;
const DAY_SECONDS = 86_400;

/**
 * Adds an address and requests its confirmation mail, which is usually sent within a minute. If the address exists but
 * is not confirmed yet, replaces its properties and requests another mail.
 *
 * @throws HttpError 400 for an invalid, a confirmed or an unsubscribed address, or if the organization has
 *   `ADDRESSES_MAX` addresses; 429 if there were too many confirmation mails
 * @throws UnavailableError
 */
export async function createAddress(
  ports: CreateAddressPorts,
  orgId: string,
  { address, mode, timeZone, language = 'de' }: NewNotificationAddress,
  log: Logger,
): Promise<NotificationAddress> {
  if (!isEmailAddress(address))
    throw new HttpError(400, 'The notification address must be an e-mail address (body.address).');
  const defaultZone = (await ports.organizations.find(orgId))?.timezone ?? DEFAULT_TIME_ZONE;
  const now = toIsoString(ports.clock.now());
  const created: NotificationAddress = {
    id: addressIdOf(orgId, address),
    address,
    mode,
    language,
    timeZone: timeZone ?? defaultZone,
    linkBaseUrl: ports.linkBaseUrl(),
    confirmedAt: null,
    unsubscribedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const refund = await countConfirmation(ports, orgId, address, log);
  try {
    await ports.addresses.change(orgId, (addresses) => withAddress(addresses, created));
    await ports.notices.put(created.id, { kind: 'confirmation', at: now });
    await ports.notices.wake({ orgId, addressId: created.id }, Date.parse(now));
  } catch (cause) {
    await refund();
    throw cause;
  }
  return created;
}

/** @throws HttpError 400 */
function withAddress(addresses: readonly NotificationAddress[], created: NotificationAddress): NotificationAddress[] {
  const existing = addresses.find(({ id }) => id === created.id);
  const others = addresses.filter(({ id }) => id !== created.id);
  if (existing !== undefined && isActive(existing)) {
    throw new HttpError(
      400,
      'The organization has this notification address already. Update the existing address instead.',
    );
  }
  if (existing !== undefined && existing.unsubscribedAt !== null) {
    throw new HttpError(
      400,
      'The recipient has unsubscribed. If the recipient wants these mails again, delete the address and add it again.',
    );
  }
  if (others.length >= ADDRESSES_MAX) {
    throw new HttpError(
      400,
      `The organization has ${ADDRESSES_MAX} notification addresses, which is the maximum. Delete one of them first.`,
    );
  }
  return [...others, created];
}

/** Counts a confirmation mail. Returns a function that undoes the count. @throws HttpError 429; UnavailableError */
async function countConfirmation(
  { limiter, readSecret }: CreateAddressPorts,
  orgId: string,
  address: string,
  log: Logger,
): Promise<() => Promise<void>> {
  const secret = await readSecretOrUnavailable(readSecret);
  const mailbox = normalizeDestination({ channel: 'email', destination: address });
  const addressKey = createHmac('sha256', secret)
    .update(JSON.stringify(['notification-address', mailbox]))
    .digest('base64url');
  const policies = [
    policy('organization', orgId, CONFIRMATIONS_PER_DAY_AND_ORGANIZATION),
    policy('address', addressKey, CONFIRMATIONS_PER_DAY_AND_ADDRESS),
  ];
  const { exceeded, refund } = await consumeAll(limiter, policies, log);
  if (exceeded) throw tooManyRequests({ ...exceeded.policy, ...exceeded.result });
  return refund;
}

const policy = (name: string, partitionKey: string, limit: number): RateLimitPolicy => ({
  name: `notification-confirmations-${name}`,
  partitionKey,
  limit,
  windowSeconds: DAY_SECONDS,
  onOutage: 'deny',
});
