import type { CdnProvider } from './cdn-provider.ts';
import type { CustomDomain, DomainIds } from './domain.ts';

/**
 * Changed properties of a domain. The repository increments the revision. A change of `activatedAt` puts the domain
 * into the outbox (ADR 0028).
 */
export type DomainChanges = Partial<Omit<CustomDomain, 'id' | 'orgId' | 'hostname' | 'revision'>>;

/** The domains of all organizations. The methods throw `UnavailableError` while the table is unavailable. */
export type DomainRepository = {
  /** Strongly consistent. */
  find(ids: DomainIds): Promise<CustomDomain | undefined>;
  /** Returns at most `most` due domains. Eventually consistent. */
  listDue(nowMs: number, most: number): Promise<DomainIds[]>;
  /**
   * Writes the changes unless the domain has changed since it was read.
   *
   * @returns the new state; undefined if not written
   */
  update(seen: CustomDomain, changes: DomainChanges): Promise<CustomDomain | undefined>;
  /** Postpones a domain. Has no effect if the domain has no unfinished work or is already due later. */
  postpone(ids: DomainIds, dueAtMs: number): Promise<void>;
  /**
   * Deletes the domain unless it has changed since it was read. Keeps a record of the hostname, because pages may still
   * contain the hostname.
   */
  delete(seen: CustomDomain): Promise<void>;
};

/** What webhook messages tell about an active domain. */
export type ActiveDomain = Pick<CustomDomain, 'hostname' | 'pageIds' | 'createdAt'> & { activatedAt: string };

/** The domains whose activation was not dispatched yet (ADR 0028). */
export type DomainOutbox = {
  /** Oldest first. Eventually consistent. */
  listDue(nowMs: number, limit: number): Promise<{ due: (DomainIds & { dueAt: string })[]; isLast: boolean }>;
  /** Strongly consistent. Undefined: the domain is not active, or became active before `activatedAt` was introduced. */
  read(ids: DomainIds): Promise<{ state: ActiveDomain; isInOutbox: boolean } | undefined>;
  /** Removes a domain from the outbox. Returns false and writes nothing if the domain is not in the outbox. */
  clear(ids: DomainIds): Promise<boolean>;
};

/** Reserves a hostname for one organization in the whole service. */
export type HostnameReservation = DomainIds & { reservedAt: string };

export type HostnameRepository = {
  /** Strongly consistent. */
  findReservation(hostname: string): Promise<HostnameReservation | undefined>;
  /** @returns false if the hostname is already reserved */
  reserve(hostname: string, reservation: HostnameReservation): Promise<boolean>;
  /**
   * Replaces the reservation `from`.
   *
   * @returns false, without a write, if `from` is not the current reservation any more
   */
  replaceReservation(hostname: string, from: HostnameReservation, to: HostnameReservation): Promise<boolean>;
  /** Releases the hostname if this domain holds the reservation. */
  release(hostname: string, domainId: string): Promise<void>;
};

/** The bindings of pages to domains, which are stored with the pages. */
export type PageBindingRepository = {
  /** Strongly consistent. */
  listPageIds(ids: DomainIds): Promise<string[]>;
  /** Binds the page, if it exists and is not bound to another domain. */
  bind(ids: DomainIds, pageId: string): Promise<'bound' | 'not_found' | 'bound_elsewhere'>;
  /** Unbinds the page if it is bound to this domain. */
  unbind(ids: DomainIds, pageId: string): Promise<void>;
};

/**
 * Returns the CDN provider of the stage, or undefined in a stage without a CDN. Without a CDN, verified domains become
 * active, but this service does not serve them.
 */
export type CdnOfStage = () => CdnProvider | undefined;
