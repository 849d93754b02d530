import type { SqlDialect } from './sql-dialect.ts';

export type ViewColumn = {
  name: string;
  type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP';
  about: string;
};

/** A view of the lake, defined once for all engines. */
export type LakeView = {
  name: string;
  /** Describes a row in one sentence. */
  about: string;
  columns: readonly ViewColumn[];
  /** The view's SELECT. @param timeZone IANA name of the zone that determines days */
  select(dialect: SqlDialect, timeZone: string): string;
};

/** A share in percent with 2 decimals, as the API rounds it; 0 if the whole is 0. Arguments are names of integer columns. */
export const percentOf = (part: string, whole: string): string =>
  `CASE WHEN ${whole} = 0 THEN 0 ELSE round(10000 * CAST(${part} AS double) / ${whole}) / 100 END`;
