import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBStructValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';

const NUMERIC: ReadonlySet<DuckDBTypeId> = new Set([
  ...[DuckDBTypeId.TINYINT, DuckDBTypeId.SMALLINT, DuckDBTypeId.INTEGER, DuckDBTypeId.BIGINT, DuckDBTypeId.HUGEINT],
  ...[DuckDBTypeId.UTINYINT, DuckDBTypeId.USMALLINT, DuckDBTypeId.UINTEGER, DuckDBTypeId.UBIGINT],
  ...[DuckDBTypeId.UHUGEINT, DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE, DuckDBTypeId.DECIMAL],
]);

export const isNumeric = ({ typeId }: DuckDBType): boolean => NUMERIC.has(typeId);

/** Formats a value as text, and null as an empty text. */
export const cellText = (value: DuckDBValue | undefined): string =>
  value === null || value === undefined ? '' : String(value);

/** Formats a value as text for a table. Fractions are rounded to 10 significant digits. */
export const shortText = (value: DuckDBValue | undefined): string =>
  typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(10))) : cellText(value);

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/**
 * Converts a value to JSON. Times, and numbers that JavaScript cannot represent exactly, such as session keys, become
 * strings. NaN and infinity become null.
 */
export function cellJson(value: DuckDBValue | undefined): Json {
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'string')
    return value ?? null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof DuckDBDecimalValue) return decimalJson(value);
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(cellJson);
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, inner]) => [name, cellJson(inner)]));
  return String(value);
}

/** If a number has at most this many decimal digits, a double represents it without loss. */
const DIGITS_KEPT = 15;

const decimalJson = (value: DuckDBDecimalValue): number | string => {
  const digits = String(value.value).replace('-', '');
  return digits.length <= DIGITS_KEPT ? value.toDouble() : String(value);
};
