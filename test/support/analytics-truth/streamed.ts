import { StoredEvent } from '../../../shared/analytics/events/stored-event.ts';
import { linesOf } from '../events.ts';
import type { Streamed } from './world.ts';

/** The rows of records, as whoever keeps them reads them. */
export const storedEventsOf = (records: readonly Streamed[]): StoredEvent[] =>
  linesOf(records.map(({ record }) => record.data)).map((line) => StoredEvent.parse(JSON.parse(line)));
