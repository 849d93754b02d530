import type { Domain, DomainIds } from './domain.ts';
import type { Edge } from './edge.ts';

/** What changes of a domain; its revision grows by itself. */
export type DomainChanges = Partial<Omit<Domain, 'id' | 'orgId' | 'hostname' | 'revision'>>;

/** The domains of all organizations. Each method throws Problem 503 while they are not available. */
export type Domains = {
  /** Strongly consistent. */
  find(ids: DomainIds): Promise<Domain | undefined>;
  /** At most so many that are due, the longest first; eventually consistent. */
  due(nowMs: number, most: number): Promise<DomainIds[]>;
  /** The domain with these changes; undefined when it is no longer as it was seen: then nothing is written. */
  change(seen: Domain, changes: DomainChanges): Promise<Domain | undefined>;
  /** Only where it stands in the line of what is due. */
  putOff(ids: DomainIds, dueAtMs: number): Promise<void>;
  /** Deletes the record unless it has changed since; keeps a note of the hostname, which pages may still refer to. */
  remove(seen: Domain): Promise<void>;
};

/** Who holds a hostname: one organization in the whole service. */
export type Reservation = DomainIds & { reservedAt: string };

export type Hostnames = {
  /** Strongly consistent. */
  holder(hostname: string): Promise<Reservation | undefined>;
  /** False when somebody holds it already. */
  reserve(hostname: string, reservation: Reservation): Promise<boolean>;
  /** Puts a reservation in the place of one that was seen; false when that one does not stand so any more. */
  takeOver(hostname: string, from: Reservation, to: Reservation): Promise<boolean>;
  /** Only when this domain holds it. */
  release(hostname: string, domainId: string): Promise<void>;
};

/** Which pages are shown on a domain, by what the pages say themselves. */
export type PageBindings = {
  /** Strongly consistent. */
  boundTo(ids: DomainIds): Promise<string[]>;
  /** `other`: it is bound to another domain; nothing is written then. */
  bind(ids: DomainIds, pageId: string): Promise<'bound' | 'unknown' | 'other'>;
  /** Only when it is bound to this domain. */
  unbind(ids: DomainIds, pageId: string): Promise<void>;
};

/** Undefined where a stage has none: domains are active without being served by us. */
export type EdgeOf = () => Edge | undefined;
