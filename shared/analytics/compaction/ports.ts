import type { FactFile } from '../facts/fact-files.ts';

/** A range of session keys, both inclusive. */
export type KeyRange = { from: bigint; to: bigint };

/** All possible session keys. */
export const FULL_KEY_RANGE: KeyRange = { from: -(2n ** 63n), to: 2n ** 63n - 1n };

export type RewriteRequest = {
  funnelId: string;
  range: KeyRange;
  /** The base file that covers the range; undefined when the funnel has no base yet. */
  base: FactFile | undefined;
  /** Files that may hold facts of any session. */
  level1Files: readonly FactFile[];
  completeUntilMs: number;
};

export type BaseRewriter = {
  /**
   * Merges all facts of a range and writes them to files that share no session. Uses bounded memory.
   *
   * @returns undefined when level 1 has no facts in the range: nothing is written
   * @throws when a file is missing or damaged
   */
  rewrite(wanted: RewriteRequest): Promise<FactFile[] | undefined>;
};

/** A stored fact file, whether a manifest lists it or not. */
export type StoredFactFile = {
  name: string;
  /** Milliseconds since the epoch, by the store's clock. */
  storedMs: number;
};

export type FactFileStore = {
  /** Pages of all stored fact files; the files of one funnel are consecutive. */
  list(): AsyncIterable<readonly StoredFactFile[]>;
  /** Deletes a file. Deleting a missing file is no error. @param purgeVersions also delete its noncurrent versions */
  remove(name: string, purgeVersions: boolean): Promise<void>;
};
