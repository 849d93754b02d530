import type { Lease } from '../../platform/lease.ts';
import type { StoredObject } from '../../platform/object-store.ts';
import type { FactInputRow } from '../facts/reduce-events-to-facts.ts';

/** Session keys by the id of their funnel. */
export type SessionKeysByFunnel = ReadonlyMap<string, readonly bigint[]>;

/** The raw events of all funnels, in files. */
export type RawEventStore = {
  /** Every file that there is when the listing comes to it. */
  listFiles(): AsyncIterable<StoredObject>;
  /** Looks into a file. @returns undefined when it is gone */
  open<T>(key: string, look: (file: RawEventFile) => Promise<T>): Promise<T | undefined>;
  /**
   * Puts the file's other rows into a file beside it and takes it away for good. Two at once would bring back what the
   * other one took out: only whoever has the turn may. @throws when it is lost meanwhile
   */
  removeSessions(key: string, sessions: SessionKeysByFunnel, turn: Lease): Promise<void>;
};

/** Finds a person's e-mail address or phone number in text. */
export type ContactSearch = {
  /** A regular expression (RE2, case-insensitive) that every text with the contact matches, and few others. */
  pattern: string;
  isIn(text: string): boolean;
};

export type RawEventFile = {
  /** What a funnel's events in it say that counts, a few thousand at a time. @throws when a row is no event */
  events(funnelId: string): AsyncIterable<readonly FactInputRow[]>;
  /** The sessions of the funnel's events of which any text that the page sent holds one of these UUIDs, in whatever case. */
  findSessionsMentioning(funnelId: string, uuids: readonly string[]): Promise<bigint[]>;
  /** The sessions of the funnel's events in which any text that the page sent holds the contact. */
  findSessionsWithContact(funnelId: string, contact: ContactSearch): Promise<bigint[]>;
  /** Its events of these sessions in the order of their times, each as a JSON object of all that is kept of it. */
  exportRows(sessions: SessionKeysByFunnel): AsyncIterable<string>;
  /** How many of its events are of these sessions. */
  countRows(sessions: SessionKeysByFunnel): Promise<number>;
};
