import type { Fact } from './fact.ts';

type ColumnType = 'BIGINT' | 'VARCHAR' | 'BOOLEAN';

export type FactColumn = { property: keyof Fact; name: string; type: ColumnType; nullable: boolean; about: string };

const column = (property: keyof Fact, name: string, type: ColumnType, about: string, nullable = false): FactColumn => ({
  property,
  name,
  type,
  nullable,
  about,
});

/** The columns of a fact file, in order: declared here once for whoever writes, reads or describes fact files. */
export const FACT_COLUMNS: readonly FactColumn[] = [
  column('sessionKey', 'session_key', 'BIGINT', 'First 8 bytes of SHA-256(funnel id, 0, session id), signed.'),
  column('timeMs', 'first_time_ms', 'BIGINT', 'First event: milliseconds since the epoch, clamped to arrival.'),
  column('clientTimeMs', 'client_time_ms', 'BIGINT', 'First event: milliseconds since the epoch, as the client said.'),
  column('stepIndex', 'step_index', 'BIGINT', 'First event: its step; null when it named none.', true),
  column('referrer', 'referrer', 'VARCHAR', 'First event: host without www., or direct.'),
  column('utmSource', 'utm_source', 'VARCHAR', 'First event; empty when absent.'),
  column('utmMedium', 'utm_medium', 'VARCHAR', 'First event; empty when absent.'),
  column('utmCampaign', 'utm_campaign', 'VARCHAR', 'First event; empty when absent.'),
  column('utmTerm', 'utm_term', 'VARCHAR', 'First event; empty when absent.'),
  column('utmContent', 'utm_content', 'VARCHAR', 'First event; empty when absent.'),
  column('deviceType', 'device_type', 'VARCHAR', 'First event: mobile, tablet or desktop.'),
  column('browser', 'browser', 'VARCHAR', 'First event: a value of the browser filter.'),
  column('os', 'os', 'VARCHAR', 'First event: a value of the operating system filter.'),
  column('started', 'started', 'BOOLEAN', 'Whether any event of the session is a start.'),
  column('completed', 'completed', 'BOOLEAN', 'Whether any event of the session is a completion.'),
];

/** The file's name of a fact's property. */
export function columnName(property: keyof Fact): string {
  const found = FACT_COLUMNS.find((declared) => declared.property === property);
  if (found === undefined) throw new Error(`No column holds ${property}.`);
  return found.name;
}
