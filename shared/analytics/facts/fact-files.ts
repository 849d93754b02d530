import type { Dimension, Selection } from '../queries/filters.ts';
import type { Fact } from './fact.ts';

/** A stored, immutable file of facts, as the manifest lists it. */
export type FactFile = {
  /** `<funnel id>/<ULID>`: never used again, so that what was once derived from a file stays true. */
  name: string;
  sessions: number;
  /** First times of its sessions, milliseconds since the epoch, both inclusive. */
  minTimeMs: number;
  maxTimeMs: number;
  /** Session keys, both inclusive. */
  minKey: bigint;
  maxKey: bigint;
  bytes: number;
  /** SHA-256 of the file, base64: a damaged copy is an error, never another number. */
  sha256: string;
  /**
   * Every fact that a read could count at this time is in the funnel's files, milliseconds since the epoch; 0: not
   * known. It is a column of the file as well.
   */
  completeUntilMs: number;
};

/** The content type of Parquet files. */
export const PARQUET_TYPE = 'application/vnd.apache.parquet';

/** What the keys of fact files begin with; the right to read and write them ends there. */
export const FACTS_PREFIX = 'facts/';

/** Where a fact file is stored: readers of the lake tell the funnel by the folder. */
export const factObjectKey = ({ name }: Pick<FactFile, 'name'>): string => `${FACTS_PREFIX}funnel_id=${name}.parquet`;

/** Objects are written once under a key that is never used again. */
export type FactObjectWriter = { put(key: string, bytes: Uint8Array): Promise<void> };

export type FactObjectReader = {
  /** @throws when there is no such object */
  get(key: string): Promise<Uint8Array>;
};

export type FactWriter = {
  /** Stores at least one fact, one for each session, sorted by first time; no read knows the file until a manifest does. */
  write(funnelId: string, facts: readonly Fact[], completeUntilMs: number): Promise<FactFile>;
};

/** How many sessions, and how many of them started and completed. */
export type Counts = { sessions: number; starts: number; completions: number };

/** The quarter of an hour that a first time lies in, counted since the epoch: every zone's days and hours consist of them. */
export const QUARTER_HOUR_MS = 15 * 60_000;

/** Lists of a dimension's values end there. */
export const TOP_VALUES_MAX = 100;

/** What sessions are counted by: a dimension of their first event, or its quarter of an hour. */
export type Grouping = Dimension | 'quarter';

/** Counts by the value of each grouping; a quarter's value is its number, first time / QUARTER_MS rounded down, as text. */
export type CountsByGroup<G extends Grouping = Grouping> = Record<G, ReadonlyMap<string, Counts>>;

/** Every question throws when a file is missing or damaged. */
export type FactReader = {
  /** Begins what questions about these files will wait for. What fails here, the questions tell. */
  prefetch(files: readonly FactFile[]): void;
  /** Begins to let go of what is kept here of a funnel's other files, which no manifest lists any more. */
  evictExcept(funnelId: string, files: readonly FactFile[]): void;
  /** Every fact of the files. */
  read(files: readonly FactFile[]): Promise<readonly Fact[]>;
  /** The facts of these sessions. */
  findBySessionKeys(files: readonly FactFile[], sessionKeys: readonly bigint[]): Promise<Fact[]>;
  /**
   * Counts of the selected facts for each group; in base files a fact is a session.
   *
   * @param depth of a dimension at least so many values are told, those with the most sessions and of equal ones the
   *   first by code points: fewer than `depth` are all there are. Quarters are told all.
   */
  count<G extends Grouping>(
    files: readonly FactFile[],
    selection: Selection,
    by: readonly G[],
    depth: number,
  ): Promise<CountsByGroup<G>>;
  /** Counts of the selected facts for each of these values of a dimension that there is. */
  countValues(
    files: readonly FactFile[],
    selection: Selection,
    dimension: Dimension,
    values: readonly string[],
  ): Promise<ReadonlyMap<string, Counts>>;
};
