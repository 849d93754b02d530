import type { EventRow } from '../ingest/event-row.ts';

/** What the keys of raw events' files begin with. */
export const EVENTS_PREFIX = 'events/';
/** Where stream records wait that are no events, each with its reason. */
export const EVENT_ERRORS_PREFIX = 'errors/events/';

/** Of 2 048 each, DuckDB's vectors. Small groups of rows let a query for one funnel skip most of a file. */
export const RAW_EVENT_GROUP_ROWS = 10 * 2_048;

/** Where a file of raw events is stored. @param arrivalDate of UTC, such as 2026-05-31 @param name a ULID */
export const rawEventKey = (arrivalDate: string, name: string): string =>
  `${EVENTS_PREFIX}arrival_date=${arrivalDate}/${name}.parquet`;

/** The day of UTC on which an event arrived, by which files are kept apart. */
export const arrivalDateOf = ({ received_ms }: Pick<EventRow, 'received_ms'>): string =>
  new Date(received_ms).toISOString().slice(0, 10);

/** Objects of the lake are written once under a key that is never used again. */
export type LakeObjectWriter = { put(key: string, bytes: Uint8Array, contentType: string): Promise<void> };

export type RawEventWriter = {
  /** Stores at least one event of one arrival date as a file; durable once it resolves. @returns the object's key */
  write(arrivalDate: string, events: readonly EventRow[]): Promise<string>;
};
