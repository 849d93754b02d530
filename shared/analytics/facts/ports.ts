import type { Counts, CountsByGroup, Grouping } from './counts.ts';
import type { Dimension, SessionCriteria } from './criteria.ts';
import type { Fact } from './fact.ts';
import type { FactFile } from './fact-files.ts';
import type { Manifest, NextManifest } from './manifest.ts';

/**
 * Facts that were stored together. `ref` identifies the item for `remove` and is never reused for other facts. Reading
 * `facts` may decode the facts each time. It throws if they are damaged.
 */
export type FreshItem = { readonly ref: string; readonly facts: readonly Fact[] };

/**
 * Stores facts until a minor compaction writes them to a file. A session may have any number of facts. Reads omit
 * erased sessions.
 */
export type FreshFactRepository = {
  /**
   * Stores at least one fact, and at most one per session. The facts are durable when the promise resolves. Adding the
   * same facts again changes no count, even in another invocation.
   *
   * @param source the sequence numbers of the invocation's first and last record
   */
  add(funnelId: string, source: { first: string; last: string }, facts: readonly Fact[]): Promise<void>;
  /** Strongly consistent. */
  read(funnelId: string): Promise<FreshItem[]>;
  /**
   * Reads items of a funnel with at most `factsMax` facts in total, or fewer if the facts contain long texts. Reads at
   * least one item, even if this item has more than `factsMax` facts. Strongly consistent.
   *
   * @returns `isLast`: whether the funnel had no other items when the read began
   */
  readBatch(funnelId: string, factsMax: number): Promise<{ items: FreshItem[]; isLast: boolean }>;
  /** Removing a missing item is no error. */
  remove(funnelId: string, refs: readonly string[]): Promise<void>;
  /**
   * Lists the funnels that have fresh facts. `oldestMs`: when the oldest of these facts was stored, in milliseconds
   * since the epoch. `factCount`: number of these facts. Eventually consistent.
   */
  listPendingFunnels(): Promise<{ funnelId: string; oldestMs: number; factCount: number }[]>;
};

export type ManifestRepository = {
  /** Strongly consistent. */
  read(funnelId: string): Promise<Manifest>;
  /**
   * Replaces `read` with `next`, unless another process has already replaced `read`.
   *
   * @returns whether `next` was written. Can also be false after `next` was written, if the response was lost. If it is
   * false, the caller must read the manifest again.
   * @throws Error, for example when `next` is too large to be stored
   */
  replaceIfUnchanged(funnelId: string, read: Manifest, next: NextManifest): Promise<boolean>;
  /**
   * Lists the funnels that have level 1 files. `oldestMs`: `fileCreatedMs` of the oldest of these files. Eventually
   * consistent.
   */
  listFunnelsWithLevel1Files(): Promise<{ funnelId: string; oldestMs: number }[]>;
};

/**
 * Tombstones of erased sessions and leads. A tombstone outlives every event that may still arrive. Rebuilds and reads
 * of fresh facts omit sessions with a tombstone, so that their late events are never counted. ADR 0019.
 */
export type TombstoneRepository = {
  /** Adds tombstones, which are durable when the promise resolves. Adding a session again restarts the TTL. */
  addSessions(funnelId: string, sessionKeys: readonly bigint[]): Promise<void>;
  /**
   * Adds tombstones of leads, which are durable when the promise resolves. If a late event mentions an erased lead,
   * `eraseLateEvents` erases the session of the event.
   */
  addLeads(funnelId: string, leadIds: readonly string[]): Promise<void>;
  /** Lists the erased leads of all funnels. Eventually consistent. */
  listAllLeads(): Promise<{ funnelId: string; leadId: string }[]>;
  /** Strongly consistent. */
  listSessionKeys(funnelId: string): Promise<bigint[]>;
  /**
   * Lists the erased sessions of all funnels, with the time when each tombstone was stored (milliseconds since the
   * epoch). Eventually consistent.
   */
  listAllSessions(): Promise<{ funnelId: string; sessionKey: bigint; sinceMs: number }[]>;
  /**
   * Finds the fresh items with facts of these sessions. `erased`: how many facts of the item belong to these sessions.
   * `others`: the facts of the item that belong to other sessions.
   */
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

export type FactFileStore = {
  /** @throws when there is no such file */
  get(name: string): Promise<Uint8Array>;
  /** Files are written once, under names that are never reused. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Lists all stored fact files in pages. The files of one funnel are consecutive. */
  list(): AsyncIterable<readonly StoredFactFile[]>;
  /** Deletes a file. Deleting a missing file is no error. @param purgeVersions also delete its noncurrent versions */
  remove(name: string, purgeVersions: boolean): Promise<void>;
};

export type FactWriter = {
  /**
   * Writes at least one fact, and at most one per session, to a new file. Queries read the file only after the manifest
   * lists it.
   */
  write(funnelId: string, facts: readonly Fact[], completeUntilMs: number): Promise<FactFile>;
};

/** Reads fact files. If a needed file is missing or damaged, the methods that return a promise throw. */
export type FactReader = {
  /**
   * Starts loading the files in the background. Ignores errors, because later calls that need the files report them.
   */
  prefetch(files: readonly FactFile[]): void;
  /** Starts deleting the funnel's local copies, except those of `files`, which the manifest lists. */
  evictExcept(funnelId: string, files: readonly FactFile[]): void;
  read(files: readonly FactFile[]): Promise<readonly Fact[]>;
  findBySessionKeys(files: readonly FactFile[], sessionKeys: readonly bigint[]): Promise<Fact[]>;
  /**
   * Counts the facts that match the criteria, by group. In base files, the number of facts is the number of sessions.
   * Implementations can cache the result.
   *
   * @param depth maximum number of values per dimension. The values with the most sessions are returned. Ties are
   *   broken by the order of code points. If a dimension has fewer than `depth` values in the result, no value is
   *   missing. Quarter hours are not limited.
   */
  count<G extends Grouping>(
    files: readonly FactFile[],
    criteria: SessionCriteria,
    by: readonly G[],
    depth: number,
  ): Promise<CountsByGroup<G>>;
  /** Counts the facts that match the criteria, for each of these values of a dimension. Omits values without facts. */
  countValues(
    files: readonly FactFile[],
    criteria: SessionCriteria,
    dimension: Dimension,
    values: readonly string[],
  ): Promise<ReadonlyMap<string, Counts>>;
};
