import type { CdnProvider } from './cdn-provider.ts';
import type { CustomDomain, DomainIds } from './domain.ts';

/** What changes of a domain; its revision grows by itself. */
export type DomainChanges = Partial<Omit<CustomDomain, 'id' | 'orgId' | 'hostname' | 'revision'>>;

/** The domains of all organizations. Each method throws Problem 503 while they are not available. */
export type DomainRepository = {
  /** Strongly consistent. */
  find(ids: DomainIds): Promise<CustomDomain | undefined>;
  /** At most so many that are due, the longest first; eventually consistent. */
  listDue(nowMs: number, most: number): Promise<DomainIds[]>;
  /** The domain with these changes; undefined when it is no longer as it was seen: then nothing is written. */
  update(seen: CustomDomain, changes: DomainChanges): Promise<CustomDomain | undefined>;
  /** Only where it stands in the line of what is due. */
  postpone(ids: DomainIds, dueAtMs: number): Promise<void>;
  /** Deletes the record unless it has changed since; keeps a note of the hostname, which pages may still refer to. */
  delete(seen: CustomDomain): Promise<void>;
};

/** Who holds a hostname: one organization in the whole service. */
export type HostnameReservation = DomainIds & { reservedAt: string };

export type HostnameRepository = {
  /** Strongly consistent. */
  findReservation(hostname: string): Promise<HostnameReservation | undefined>;
  /** False when somebody holds it already. */
  reserve(hostname: string, reservation: HostnameReservation): Promise<boolean>;
  /** Puts a reservation in the place of one that was seen; false when that one does not stand so any more. */
  replaceReservation(hostname: string, from: HostnameReservation, to: HostnameReservation): Promise<boolean>;
  /** Only when this domain holds it. */
  release(hostname: string, domainId: string): Promise<void>;
};

/** Which pages are shown on a domain, by what the pages say themselves. */
export type PageBindingRepository = {
  /** Strongly consistent. */
  listPageIds(ids: DomainIds): Promise<string[]>;
  /** Writes nothing unless `bound`. */
  bind(ids: DomainIds, pageId: string): Promise<'bound' | 'not_found' | 'bound_elsewhere'>;
  /** Only when it is bound to this domain. */
  unbind(ids: DomainIds, pageId: string): Promise<void>;
};

/** Undefined where a stage has none: domains are active without being served by us. */
export type CdnOfStage = () => CdnProvider | undefined;
