import type { CdnProvider } from './cdn-provider.ts';
import type { CustomDomain, DomainIds } from './domain.ts';

/** Changed properties of a domain. The repository increments the revision. */
export type DomainChanges = Partial<Omit<CustomDomain, 'id' | 'orgId' | 'hostname' | 'revision'>>;

/** The domains of all organizations. Each method throws `UnavailableError` while the store is unavailable. */
export type DomainRepository = {
  /** Strongly consistent. */
  find(ids: DomainIds): Promise<CustomDomain | undefined>;
  /** At most `most` due domains, longest due first. Eventually consistent. */
  listDue(nowMs: number, most: number): Promise<DomainIds[]>;
  /** Writes the changes. @returns the changed domain; undefined, without a write, when it has changed since it was read */
  update(seen: CustomDomain, changes: DomainChanges): Promise<CustomDomain | undefined>;
  /** Postpones a due domain. No effect on one that has no unfinished work or is due later. */
  postpone(ids: DomainIds, dueAtMs: number): Promise<void>;
  /** Deletes the domain unless it has changed since it was read. Keeps its hostname, because pages may still refer to it. */
  delete(seen: CustomDomain): Promise<void>;
};

/** Reserves a hostname for one organization in the whole service. */
export type HostnameReservation = DomainIds & { reservedAt: string };

export type HostnameRepository = {
  /** Strongly consistent. */
  findReservation(hostname: string): Promise<HostnameReservation | undefined>;
  /** @returns false when the hostname is already reserved */
  reserve(hostname: string, reservation: HostnameReservation): Promise<boolean>;
  /** Replaces a reservation. @returns false, without a write, when it is not `from` any more */
  replaceReservation(hostname: string, from: HostnameReservation, to: HostnameReservation): Promise<boolean>;
  /** Releases the hostname if this domain holds the reservation. */
  release(hostname: string, domainId: string): Promise<void>;
};

/** The binding of pages to domains, which is stored with the pages. */
export type PageBindingRepository = {
  /** Strongly consistent. */
  listPageIds(ids: DomainIds): Promise<string[]>;
  /** Writes nothing unless `bound`. */
  bind(ids: DomainIds, pageId: string): Promise<'bound' | 'not_found' | 'bound_elsewhere'>;
  /** Unbinds the page if it is bound to this domain. */
  unbind(ids: DomainIds, pageId: string): Promise<void>;
};

/** Returns undefined in a stage without a CDN. There, domains are active without being served by us. */
export type CdnOfStage = () => CdnProvider | undefined;
