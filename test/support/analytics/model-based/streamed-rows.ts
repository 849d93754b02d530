import { EventRow } from '../../../../shared/analytics/ingest/event-row.ts';
import { linesOf } from '../events.ts';
import type { Streamed } from './simulation.ts';

/** The rows of records, as consumers of the stream read them. */
export const storedEventsOf = (records: readonly Streamed[]): EventRow[] =>
  linesOf(records.map(({ record }) => record.data)).map((line) => EventRow.parse(JSON.parse(line)));
