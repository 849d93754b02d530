import type { Dimension } from './selection.ts';

/** An immutable file of facts, as the manifest lists it. */
export type FactFile = {
  /** `<funnel id>/<ULID>`: never reused, so that results derived from a file stay valid. */
  name: string;
  sessions: number;
  /** First times of its sessions, milliseconds since the epoch, both inclusive. */
  minTimeMs: number;
  maxTimeMs: number;
  /** Session keys, both inclusive. */
  minKey: bigint;
  maxKey: bigint;
  bytes: number;
  /** SHA-256 of the file, base64: a damaged copy is an error instead of a wrong count. */
  sha256: string;
  /**
   * All facts that a query could count at this time are in the funnel's files; milliseconds since the epoch, 0 when
   * unknown. Also a column of the file.
   */
  completeUntilMs: number;
};

/** The content type of Parquet files. */
export const PARQUET_TYPE = 'application/vnd.apache.parquet';

/** Key prefix of fact files; grants are limited to it. */
export const FACTS_PREFIX = 'facts/';

/** The object key of a fact file. SQL engines derive the funnel from the folder. */
export const factObjectKey = ({ name }: Pick<FactFile, 'name'>): string => `${FACTS_PREFIX}funnel_id=${name}.parquet`;

/** How many sessions, and how many of them started and completed. */
export type Counts = { sessions: number; starts: number; completions: number };

/** Sessions are grouped by quarter hours since the epoch: days and hours of every time zone consist of them. */
export const QUARTER_HOUR_MS = 15 * 60_000;

/** The length of a list of top values. */
export const TOP_VALUES_MAX = 100;

/** What sessions are grouped by: a dimension of their first event, or its quarter hour. */
export type Grouping = Dimension | 'quarter';

/** Counts by value for each grouping. A quarter's value is floor(first time / QUARTER_HOUR_MS), as text. */
export type CountsByGroup<G extends Grouping = Grouping> = Record<G, ReadonlyMap<string, Counts>>;
