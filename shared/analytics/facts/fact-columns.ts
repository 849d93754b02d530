import type { Fact } from './fact.ts';

/**
 * The columns of a fact file, in order. Each key is the property of `Fact` that the column stores. The last column,
 * `COMPLETE_UNTIL_COLUMN`, is not included.
 */
export const FACT_COLUMNS = {
  sessionKey: { name: 'session_key', type: 'BIGINT' },
  firstTimeMs: { name: 'first_time_ms', type: 'BIGINT' },
  clientTimeMs: { name: 'client_time_ms', type: 'BIGINT' },
  stepIndex: { name: 'step_index', type: 'BIGINT' },
  referrer: { name: 'referrer', type: 'VARCHAR' },
  utmSource: { name: 'utm_source', type: 'VARCHAR' },
  utmMedium: { name: 'utm_medium', type: 'VARCHAR' },
  utmCampaign: { name: 'utm_campaign', type: 'VARCHAR' },
  utmTerm: { name: 'utm_term', type: 'VARCHAR' },
  utmContent: { name: 'utm_content', type: 'VARCHAR' },
  deviceType: { name: 'device_type', type: 'VARCHAR' },
  browser: { name: 'browser', type: 'VARCHAR' },
  os: { name: 'os', type: 'VARCHAR' },
  started: { name: 'started', type: 'BOOLEAN' },
  completed: { name: 'completed', type: 'BOOLEAN' },
} as const satisfies Record<keyof Fact, { name: string; type: ColumnType }>;

/** The last column of a fact file. Every row has the value of `FactFile.completeUntilMs`. */
export const COMPLETE_UNTIL_COLUMN = { name: 'complete_until_ms', type: 'BIGINT' } as const;

export type ColumnType = 'BIGINT' | 'VARCHAR' | 'BOOLEAN';

export const FACT_PROPERTIES = Object.keys(FACT_COLUMNS) as readonly (keyof Fact)[];
