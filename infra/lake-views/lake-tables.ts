import { COMPLETE_UNTIL_COLUMN, FACT_COLUMNS } from '../../shared/analytics/facts/fact-columns.ts';
import { type LakeColumn, RAW_EVENT_COLUMNS } from './raw-event-columns.ts';

/** Describes the rows of one kind of file that the views read. */
export type LakeTable = {
  name: 'facts' | 'raw_events';
  columns: readonly LakeColumn[];
  /** The name of a file's folder contains the value of this column. */
  partition: 'funnel_id' | 'arrival_date';
};

const ABOUT_FACTS: Readonly<Record<string, string>> = {
  session_key: 'Key of the session within its funnel.',
  first_time_ms: 'Time of the earliest event in this row, milliseconds since the epoch.',
  client_time_ms: 'Time of the earliest event by the clock of the page, milliseconds since the epoch.',
  step_index: 'Step of the earliest event in this row; null when absent.',
  started: 'Whether the session started, by the events in this row.',
  completed: 'Whether the session completed, by the events in this row.',
  complete_until_ms:
    'Time in milliseconds since the epoch, equal for all rows of a file. The funnel’s files contain everything that ' +
    'the API counted at this time. 0 when unknown.',
};

const aboutOf = (name: string): string =>
  ABOUT_FACTS[name] ?? RAW_EVENT_COLUMNS.find((column) => column.name === name)?.about ?? '';

export const LAKE_TABLES: readonly LakeTable[] = [
  {
    name: 'facts',
    columns: [...Object.values(FACT_COLUMNS), COMPLETE_UNTIL_COLUMN].map((column) => ({
      ...column,
      about: aboutOf(column.name),
    })),
    partition: 'funnel_id',
  },
  { name: 'raw_events', columns: RAW_EVENT_COLUMNS, partition: 'arrival_date' },
];
