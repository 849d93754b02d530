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
  rewrite(request: RewriteRequest): Promise<FactFile[] | undefined>;
};
