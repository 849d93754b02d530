import type { EventRow } from '../events/event-row.ts';

export const EVENTS_PREFIX = 'events/';
/** Key prefix of the objects with records that Firehose could not convert. Each record has an error message. */
export const EVENT_ERRORS_PREFIX = 'errors/events/';

/**
 * Rows per row group, a multiple of DuckDB's vector size. Row groups are small, so that a query for one funnel can skip
 * most of a file.
 */
export const RAW_EVENT_GROUP_ROWS = 10 * 2_048;

/** The object key of a raw event file. @param arrivalDate UTC date such as 2026-05-31 @param name a ULID */
export const rawEventKey = (arrivalDate: string, name: string): string =>
  `${EVENTS_PREFIX}arrival_date=${arrivalDate}/${name}.parquet`;

/** The UTC date of an event's arrival, by which files are partitioned. */
export const arrivalDateOf = ({ received_ms }: Pick<EventRow, 'received_ms'>): string =>
  new Date(received_ms).toISOString().slice(0, 10);
