import type { Lease } from '../../platform/lease.ts';
import type { StoredObject } from '../../platform/object-store.ts';
import type { EventRow } from '../events/event-row.ts';
import type { FactInputRow } from '../facts/reduce-events-to-facts.ts';

export type SessionKeysByFunnel = ReadonlyMap<string, readonly bigint[]>;

export type RawEventStore = {
  /** Lists all files. A file that is added or deleted during the listing may be missing. */
  listFiles(): AsyncIterable<StoredObject>;
  /** Runs `look` on a file. @returns undefined when the file no longer exists */
  open<T>(key: string, look: (file: RawEventFile) => Promise<T>): Promise<T | undefined>;
  /**
   * Replaces a file with a new file without the rows of `sessions`. If no row is left, writes no new file. Deletes all
   * versions of the old file. The caller must hold the lease, because two concurrent calls could restore each other's
   * deleted rows.
   *
   * @throws LeaseLostError
   */
  removeSessions(key: string, sessions: SessionKeysByFunnel, lease: Lease): Promise<void>;
};

/** Matches a person's e-mail address or phone number in text. */
export type ContactSearch = {
  /**
   * A case-insensitive RE2 expression that matches all texts with the contact, and few other texts. `isIn` excludes the
   * other texts.
   */
  pattern: string;
  isIn(text: string): boolean;
};

export type RawEventFile = {
  /** A funnel's events, a few thousand at a time, with the columns that facts need. @throws when a row is invalid */
  events(funnelId: string): AsyncIterable<readonly FactInputRow[]>;
  /** The funnel's sessions that mention one of these UUIDs in the free text of an event, in upper or lower case. */
  findSessionsMentioning(funnelId: string, uuids: readonly string[]): Promise<bigint[]>;
  /** The funnel's sessions that mention the contact in the free text of an event. */
  findSessionsWithContact(funnelId: string, contact: ContactSearch): Promise<bigint[]>;
  /**
   * The events of these sessions in order of arrival, each as a JSON object with all columns except the session key.
   */
  exportRows(sessions: SessionKeysByFunnel): AsyncIterable<string>;
  countRows(sessions: SessionKeysByFunnel): Promise<number>;
};

/** Writes objects of the lake. A key is never reused for other events. */
export type LakeObjectWriter = { put(key: string, bytes: Uint8Array, contentType: string): Promise<void> };

export type RawEventWriter = {
  /**
   * Stores one or more events of one arrival date. The events are durable when the promise resolves.
   *
   * @returns the object key
   */
  write(arrivalDate: string, events: readonly EventRow[]): Promise<string>;
};
