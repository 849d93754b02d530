import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { type Counts, type CountsByGroup, type Grouping, QUARTER_HOUR_MS } from '../counts.ts';
import type { Dimension, SessionCriteria } from '../criteria.ts';
import { FACT_DIMENSIONS } from '../fact.ts';
import { FACT_COLUMNS } from '../fact-columns.ts';
import { isOutOfMemory } from './duckdb.ts';
import { createTempTable } from './fact-rows.ts';

type Scan = { connection: DuckDBConnection; from: string; criteria: SessionCriteria };

/** If the values of a grouping don't fit into memory together, they are counted in this number of parts. */
const PARTS = 16;

/**
 * Counts by several groupings in one scan. If memory does not suffice, counts one grouping after another. If memory
 * still does not suffice, for example for a million campaigns of 255 characters (300 MB), counts the values of a
 * grouping in parts.
 *
 * @param depth see `FactReader.count`
 */
export async function countSessionsInFiles<G extends Grouping>(
  scan: Scan,
  by: readonly G[],
  depth: number,
): Promise<CountsByGroup<G>> {
  try {
    return countsByGrouping(by, await groups(scan, by, depth));
  } catch (cause) {
    if (!isOutOfMemory(cause)) throw cause;
    const counts: Record<string, ReadonlyMap<string, Counts>> = {};
    for (const grouping of by) {
      if (by.length > 1) Object.assign(counts, await countSessionsInFiles(scan, [grouping], depth));
      else counts[grouping] = await countInParts(scan, grouping, depth);
    }
    return counts as CountsByGroup<G>;
  }
}

export async function countValuesInFiles(
  scan: Scan,
  dimension: Dimension,
  values: readonly string[],
): Promise<ReadonlyMap<string, Counts>> {
  const column = { name: 'value', type: 'VARCHAR' as const, value: (text: string) => text };
  await createTempTable(scan.connection, 'wanted', [column], values);
  const listed = `${FACT_COLUMNS[dimension].name} IN (SELECT value FROM temp.wanted)`;
  return countsByGrouping([dimension], await groups(scan, [dimension], values.length, [listed]))[dimension];
}

async function countInParts<G extends Grouping>(scan: Scan, grouping: G, depth: number): Promise<Map<string, Counts>> {
  let largest: Group[] = [];
  for (let part = 0; part < PARTS; part++) {
    const own = `hash(${groupSql(grouping)}) % ${PARTS} = ${part}`;
    // `concat` is used, because the arguments of `push(...)` could overflow the stack.
    largest = largest.concat(await groups(scan, [grouping], depth, [own]));
    if (grouping !== 'quarterHour') largest = largest.sort(byRank).slice(0, depth);
  }
  return countsByGrouping([grouping], largest)[grouping];
}

/** `groupingIndex`: index of the grouping in `by`. */
type Group = { groupingIndex: number; value: string } & Counts;

const byRank = (a: Group, b: Group): number =>
  b.sessions - a.sessions || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));

function countsByGrouping<G extends Grouping>(
  by: readonly G[],
  groups: readonly Group[],
): Record<G, Map<string, Counts>> {
  const maps = by.map(() => new Map<string, Counts>());
  for (const { groupingIndex, value, ...counts } of groups) maps[groupingIndex]?.set(value, counts);
  return Object.fromEntries(by.map((grouping, at) => [grouping, maps[at]])) as Record<G, Map<string, Counts>>;
}

const groupSql = (grouping: Grouping): string =>
  grouping === 'quarterHour' ? `first_time_ms // ${QUARTER_HOUR_MS}` : FACT_COLUMNS[grouping].name;

/**
 * DuckDB's `grouping()` has one bit per expression; the first expression has the highest bit. A bit is 0 if the row is
 * grouped by the expression. Returns the value for rows that are grouped only by the expression `at`.
 */
const maskOf = (at: number, count: number): number => 2 ** count - 1 - 2 ** (count - 1 - at);
const groupingIndexOf = (mask: number, count: number): number =>
  count - 1 - Math.round(Math.log2(2 ** count - 1 - mask));

async function groups(
  { connection, from, criteria }: Scan,
  by: readonly Grouping[],
  depth: number,
  conditions: readonly string[] = [],
): Promise<Group[]> {
  const values: DuckDBValue[] = [];
  const where = [...conditionsOf(criteria, values), ...conditions].join(' AND ');
  const names = by.map((_, at) => `g${at}`);
  const texts = names.map((name) => `${name}::VARCHAR`);
  const result = await connection.runAndReadAll(
    `WITH picked AS (SELECT ${by.map((grouping, at) => `${groupSql(grouping)} AS g${at}`).join(', ')}, started, completed
                     FROM ${from} WHERE ${where}),
          grouped AS (SELECT grouping(${names.join(', ')}) AS grouping_mask, coalesce(${texts.join(', ')}) AS value,
                             count(*) AS sessions, count(*) FILTER (started) AS starts,
                             count(*) FILTER (completed) AS completions
                      FROM picked GROUP BY GROUPING SETS (${names.map((name) => `(${name})`).join(', ')}))
     SELECT grouping_mask::DOUBLE, value, sessions::DOUBLE, starts::DOUBLE, completions::DOUBLE FROM grouped
     ${largestOnly(by, depth)}`,
    values,
  );
  const [masks = [], groupValues = [], ...counts] = result.getColumns();
  return masks.map((mask, row) => {
    const [sessions = 0, starts = 0, completions = 0] = counts.map((column) => Number(column[row]));
    return {
      groupingIndex: groupingIndexOf(Number(mask), by.length),
      value: String(groupValues[row]),
      sessions,
      starts,
      completions,
    };
  });
}

/** The criteria as SQL conditions; appends their parameters to `values`. */
function conditionsOf({ sinceMs, untilMs, filters }: SessionCriteria, values: DuckDBValue[]): string[] {
  const conditions = [
    `first_time_ms >= $${values.push(BigInt(sinceMs))}`,
    `first_time_ms < $${values.push(BigInt(untilMs))}`,
  ];
  for (const dimension of FACT_DIMENSIONS) {
    const value = filters[dimension];
    if (value !== undefined) conditions.push(`${FACT_COLUMNS[dimension].name} = $${values.push(value)}`);
  }
  return conditions;
}

/**
 * The clause that limits each dimension to `depth` values. Quarter hours are not limited. A single dimension uses
 * LIMIT, which needs the least memory.
 */
function largestOnly(by: readonly Grouping[], depth: number): string {
  const quarterHourIndex = by.indexOf('quarterHour');
  if (by.length === 1) return quarterHourIndex === 0 ? '' : `ORDER BY sessions DESC, value LIMIT ${depth}`;
  const rank = 'row_number() OVER (PARTITION BY grouping_mask ORDER BY sessions DESC, value)';
  if (quarterHourIndex === -1) return `QUALIFY ${rank} <= ${depth}`;
  return `QUALIFY grouping_mask = ${maskOf(quarterHourIndex, by.length)} OR ${rank} <= ${depth}`;
}
