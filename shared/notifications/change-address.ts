import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { NotificationAddressChanges } from './address-schemas.ts';
import { toIsoString } from './notice.ts';
import type { AddressIds, NotificationAddress } from './notification-address.ts';
import type { AddressRepository } from './ports.ts';

type Addresses = Pick<AddressRepository, 'change'>;

/**
 * Replaces the given properties of an address.
 *
 * @throws HttpError 404 for an unknown address; UnavailableError
 */
export async function updateAddress(
  { addresses, clock }: { addresses: Addresses; clock: Clock },
  { orgId, addressId }: AddressIds,
  { mode, timeZone, language }: NotificationAddressChanges,
): Promise<NotificationAddress> {
  const changed: NotificationAddress[] = [];
  await addresses.change(orgId, (seen) => {
    const address = findAddress(seen, addressId);
    const updated: NotificationAddress = {
      ...address,
      mode: mode ?? address.mode,
      timeZone: timeZone ?? address.timeZone,
      language: language ?? address.language,
      updatedAt: toIsoString(clock.now()),
    };
    changed.unshift(updated);
    return seen.map((one) => (one === address ? updated : one));
  });
  return findAddress(changed, addressId);
}

/**
 * Removes an address. Its notices are removed when they are due.
 *
 * @throws HttpError 404 for an unknown address; UnavailableError
 */
export const removeAddress = (addresses: Addresses, { orgId, addressId }: AddressIds): Promise<void> =>
  addresses.change(orgId, (seen) => {
    const address = findAddress(seen, addressId);
    return seen.filter((one) => one !== address);
  });

/** @throws HttpError 404 */
function findAddress(addresses: readonly NotificationAddress[], addressId: string): NotificationAddress {
  const found = addresses.find(({ id }) => id === addressId);
  if (found === undefined) {
    throw new HttpError(404, 'There is no notification address with this id in the organization (path.addressId).');
  }
  return found;
}
