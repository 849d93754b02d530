import { EventRow } from '../../../../shared/analytics/events/event-row.ts';
import { linesOf } from '../events.ts';
import type { Streamed } from './simulation.ts';

/** The rows in the records of the stream, as its consumers read them. */
export const storedEventsOf = (records: readonly Streamed[]): EventRow[] =>
  linesOf(records.map(({ record }) => record.data)).map((line) => EventRow.parse(JSON.parse(line)));
