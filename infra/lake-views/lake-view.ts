import type { SqlDialect } from './sql-dialect.ts';

export type ViewColumn = {
  name: string;
  type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP';
  about: string;
};

/** A view of the lake, defined once for all engines. */
export type LakeView = {
  name: string;
  about: string;
  columns: readonly ViewColumn[];
  /** Returns the view's SELECT statement. @param timeZone IANA name of the zone that determines days */
  select(dialect: SqlDialect, timeZone: string): string;
};

/**
 * Returns SQL for a share in percent, rounded to 2 decimals as in the API; 0 if `whole` is 0. The arguments are names
 * of integer columns.
 */
export const percentOf = (part: string, whole: string): string =>
  `CASE WHEN ${whole} = 0 THEN 0 ELSE round(10000 * CAST(${part} AS double) / ${whole}) / 100 END`;
