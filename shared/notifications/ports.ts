import type { LeadIdentity } from '../leads/lead.ts';
import type { AddressLease, AddressState, Notice } from './notice.ts';
import type { AddressIds, NotificationAddress } from './notification-address.ts';

/** All methods throw UnavailableError while the table is unavailable. */
export type AddressReader = {
  /** Oldest first. Strongly consistent. */
  list(orgId: string): Promise<NotificationAddress[]>;
};

/** All methods throw UnavailableError while the table is unavailable. */
export type AddressRepository = AddressReader & {
  /**
   * Replaces the addresses of an organization by those that `change` returns, in one conditional write. Calls `change`
   * again if another request has changed the addresses meanwhile.
   */
  change(orgId: string, change: (addresses: readonly NotificationAddress[]) => NotificationAddress[]): Promise<void>;
};

/**
 * Changes of an address by its recipient, each with one write. Both methods throw UnavailableError while the table is
 * unavailable.
 */
export type RecipientRepository = {
  /** Returns false if the address does not exist, or its recipient has unsubscribed. */
  confirm(ids: AddressIds, at: string): Promise<boolean>;
  /** Does nothing if the address does not exist. */
  unsubscribe(ids: AddressIds, at: string): Promise<void>;
};

/** Adds notices. Both methods are idempotent. */
export type NoticeWriter = {
  /** Stores a notice. Does nothing if there is a notice about the same object. */
  put(addressId: string, notice: Notice): Promise<void>;
  /** Makes the address due at this time at the latest. Call this method after the notices were stored. */
  wake(ids: AddressIds, dueAtMs: number): Promise<void>;
};

export type NoticeRepository = {
  /** At most `limit` due addresses, oldest first. Eventually consistent. */
  listDue(nowMs: number, limit: number): Promise<string[]>;
  /**
   * Acquires an address that is due, so that no other run sends its notices until `untilMs`. Returns undefined if the
   * address is not due any more, or if another run has acquired it.
   */
  acquire(addressId: string, nowMs: number, untilMs: number): Promise<AddressLease | undefined>;
  /** All notices of an address. Strongly consistent. */
  list(addressId: string): Promise<Notice[]>;
  remove(addressId: string, notices: readonly Notice[]): Promise<void>;
  /**
   * Releases an address, and stores when the address is due next (undefined if it has no notices). If notices were
   * added during the lease, the address stays due, so that the next run finds the notices.
   */
  release(lease: AddressLease, next: { state: AddressState; dueAtMs: number | undefined }): Promise<void>;
};

/**
 * Same type as `notifications` in `privacy/erase-lead.ts`. The two domains are in one layer and cannot import each
 * other.
 */
export type LeadNoticesEraser = {
  /** Removes the notices about a lead. Idempotent. */
  erase(lead: LeadIdentity): Promise<void>;
};
