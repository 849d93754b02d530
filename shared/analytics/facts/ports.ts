import type { Counts, CountsByGroup, Grouping } from './counts.ts';
import type { Dimension, ResolvedCriteria } from './criteria.ts';
import type { Fact } from './fact.ts';
import type { FactFile } from './fact-files.ts';
import type { Manifest, NextManifest } from './manifest.ts';

/**
 * Facts that were stored together. `ref` identifies the item for `remove` and is never reused. Each access of `facts`
 * may decode them, and throws when they are damaged.
 */
export type FreshItem = { readonly ref: string; readonly facts: readonly Fact[] };

/**
 * Facts that are not in a file yet. A session may have any number of them. Reads leave out erased sessions.
 */
export type FreshFactRepository = {
  /**
   * Stores at least one fact, one per session; durable once it resolves. Adding the same facts again, from the same
   * batch or another one, changes no count.
   *
   * @param source the first and last sequence number of the batch
   */
  add(funnelId: string, source: { first: string; last: string }, facts: readonly Fact[]): Promise<void>;
  /** All items of a funnel; strongly consistent. */
  read(funnelId: string): Promise<FreshItem[]>;
  /**
   * Items of a funnel with at most about `factsMax` facts (fewer when texts are long), at least one item; strongly
   * consistent.
   *
   * @returns `all`: whether the funnel had no other items when the read began
   */
  readBatch(funnelId: string, factsMax: number): Promise<{ items: FreshItem[]; all: boolean }>;
  /** Removes these items. Removing a missing item is no error. */
  remove(funnelId: string, refs: readonly string[]): Promise<void>;
  /** The funnels with fresh facts, their number, and the time of the oldest (ms since the epoch); eventually consistent. */
  listPendingFunnels(): Promise<{ funnelId: string; oldestMs: number; facts: number }[]>;
};

export type ManifestRepository = {
  /** Strongly consistent. */
  read(funnelId: string): Promise<Manifest>;
  /**
   * Replaces `read` with `next`, unless another process has replaced `read`.
   *
   * @returns whether `next` was written. If not, the caller reads the manifest again and retries.
   * @throws when `next` is too long to be stored
   */
  replaceIfUnchanged(funnelId: string, read: Manifest, next: NextManifest): Promise<boolean>;
  /** The funnels with level 1 files, and the time of the oldest (ms since the epoch); eventually consistent. */
  listFunnelsWithLevel1Files(): Promise<{ funnelId: string; oldestMs: number }[]>;
};

/**
 * Tombstones of erased sessions and leads. They outlive any event that may still arrive: reads of fresh facts leave out
 * erased sessions, so that no query, compaction or rebuild counts their late events. ADR 0019.
 */
export type TombstoneRepository = {
  /** Durable once it resolves. Adding a session again restarts its TTL. */
  addSessions(funnelId: string, sessionKeys: readonly bigint[]): Promise<void>;
  /**
   * Adds leads whose sessions are erased, including sessions that mention the lead only in later events (see
   * `eraseLateEvents`). Durable once it resolves.
   */
  addLeads(funnelId: string, leadIds: readonly string[]): Promise<void>;
  /** Leads of all funnels; eventually consistent. */
  listAllLeads(): Promise<{ funnelId: string; leadId: string }[]>;
  /** Strongly consistent. */
  listSessionKeys(funnelId: string): Promise<bigint[]>;
  /** Sessions of all funnels, and when each was erased (ms since the epoch); eventually consistent. */
  listAllSessions(): Promise<{ funnelId: string; sessionKey: bigint; sinceMs: number }[]>;
  /** The fresh items with facts of these sessions: the number of such facts, and the other facts. */
  findFreshItems(
    funnelId: string,
    sessionKeys: ReadonlySet<bigint>,
  ): AsyncIterable<{ ref: string; erased: number; others: Fact[] }>;
};

/** A stored fact file, whether a manifest lists it or not. */
export type StoredFactFile = {
  name: string;
  /** Milliseconds since the epoch, by the store's clock. */
  storedMs: number;
};

/** The bytes of fact files. */
export type FactFileStore = {
  /** @throws when there is no such file */
  get(name: string): Promise<Uint8Array>;
  /** Files are written once, under names that are never reused. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Pages of all stored fact files; the files of one funnel are consecutive. */
  list(): AsyncIterable<readonly StoredFactFile[]>;
  /** Deletes a file. Deleting a missing file is no error. @param purgeVersions also delete its noncurrent versions */
  remove(name: string, purgeVersions: boolean): Promise<void>;
};

export type FactWriter = {
  /** Stores at least one fact, one per session. Queries ignore the file until the manifest lists it. */
  write(funnelId: string, facts: readonly Fact[], completeUntilMs: number): Promise<FactFile>;
};

/** Reads the facts of fact files. All methods that return a promise throw when a file is missing or damaged. */
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
   *   than `depth` values are all. All quarter hours are returned.
   */
  count<G extends Grouping>(
    files: readonly FactFile[],
    criteria: ResolvedCriteria,
    by: readonly G[],
    depth: number,
  ): Promise<CountsByGroup<G>>;
  /** Counts the selected facts for each of these values of a dimension; omits values without facts. */
  countValues(
    files: readonly FactFile[],
    criteria: ResolvedCriteria,
    dimension: Dimension,
    values: readonly string[],
  ): Promise<ReadonlyMap<string, Counts>>;
};
