import { COMPLETE_UNTIL_COLUMN, FACT_COLUMNS } from '../../shared/analytics/facts/fact-columns.ts';
import { type LakeColumn, RAW_EVENT_COLUMNS } from './raw-event-columns.ts';

/** Rows as they stand in files, below the views. */
export type LakeTable = {
  name: 'facts' | 'raw_events';
  columns: readonly LakeColumn[];
  /** The column that folders tell. */
  partition: 'funnel_id' | 'arrival_date';
};

const ABOUT_FACTS: Readonly<Record<string, string>> = {
  session_key: 'Key of the session within its funnel.',
  first_time_ms: 'Time of the earliest event that this row knows, milliseconds since the epoch.',
  client_time_ms: 'The same as the page said.',
  step_index: 'Step of that event; null when absent.',
  started: 'Whether the session started, as far as this row knows.',
  completed: 'Whether it completed, as far as this row knows.',
  complete_until_ms: 'Of the file: all that the API counted at this time is in the funnel’s files; 0 when not known.',
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
