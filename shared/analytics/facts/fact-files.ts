import type { Fact } from './fact.ts';
import type { Dimension, Selection } from './selection.ts';

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

/** Objects are written once, under keys that are never reused. */
export type FactObjectWriter = { put(key: string, bytes: Uint8Array): Promise<void> };

export type FactObjectReader = {
  /** @throws when there is no such object */
  get(key: string): Promise<Uint8Array>;
};

export type FactWriter = {
  /** Stores at least one fact, one per session. Queries ignore the file until the manifest lists it. */
  write(funnelId: string, facts: readonly Fact[], completeUntilMs: number): Promise<FactFile>;
};

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

/** Reads fact files. All methods that return a promise throw when a file is missing or damaged. */
export type FactReader = {
  /** Starts loading in the background. Later calls report its errors. */
  prefetch(files: readonly FactFile[]): void;
  /** Starts evicting the cached copies of the funnel's other files, which the manifest no longer lists. */
  evictExcept(funnelId: string, files: readonly FactFile[]): void;
  /** All facts of the files. */
  read(files: readonly FactFile[]): Promise<readonly Fact[]>;
  /** The facts of these sessions. */
  findBySessionKeys(files: readonly FactFile[], sessionKeys: readonly bigint[]): Promise<Fact[]>;
  /**
   * Counts the selected facts by group. In base files, a fact is a session.
   *
   * @param depth how many values of a dimension are returned: those with the most sessions, ties by code points. Fewer
   *   than `depth` values are all. All quarters are returned.
   */
  count<G extends Grouping>(
    files: readonly FactFile[],
    selection: Selection,
    by: readonly G[],
    depth: number,
  ): Promise<CountsByGroup<G>>;
  /** Counts the selected facts for each of these values of a dimension; omits values without facts. */
  countValues(
    files: readonly FactFile[],
    selection: Selection,
    dimension: Dimension,
    values: readonly string[],
  ): Promise<ReadonlyMap<string, Counts>>;
};
